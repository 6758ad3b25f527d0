// Session: one client of the Electrum protocol as a state machine: bytes in, bytes and orders out. No sockets, no
// clock; of one thread.
//
//   feed(bytes) -> step(now)… -> take_output(), take_orders() -> finish(ticket, outcome) -> take_output() …
//
// A call is answered at once, or waits: for an errand that others run, or for a wallet that is still being scanned. The
// number of calls that wait is limited; at the limit step() does nothing, and no more should be read from the client.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "serve/electrum/books.h"
#include "serve/electrum/errand.h"
#include "serve/electrum/line_reader.h"
#include "serve/electrum/version.h"
#include "util/time.h"

namespace spv::serve::electrum {

struct SessionLimits {
  std::size_t line_bytes = 1'000'000;
  std::size_t batch_calls = 2'000;
  std::size_t subscriptions = 10'000;
  std::size_t under_way = 100;
  std::size_t batch_bytes = 8'000'000;  // of the answers of one batch
  /// How long a call waits for a wallet that is being scanned.
  util::Duration patience = std::chrono::seconds(20);
};

/// What all sessions see.
struct World {
  struct Tip {
    chain::Height height = 0;
    chain::BlockHeader header;
  };
  Books books;
  std::optional<Tip> tip;
  bool is_loaded = false;      // all wallets are in the books
  bool is_ahead = false;       // and so are the scripts further along their key chains
  bool empty_unknown = false;  // a stranger's script gets an empty answer
  std::string software;        // "spv 1.0"
  std::string genesis_hash;
  SessionLimits limits;
};

using Ticket = std::uint64_t;
struct ErrandOrder {
  Ticket ticket = 0;
  Errand errand;
};
/// A script was asked for that is not in the books: look further along the key chains.
struct LookAheadOrder {};
/// A wallet must watch more, up to this place.
struct WidenOrder {
  ScriptPlace place;
};
using Order = std::variant<ErrandOrder, LookAheadOrder, WidenOrder>;

class Session {
 public:
  /// `world` outlives it.
  explicit Session(const World& world) : world_(world), lines_(world.limits.line_bytes) {}

  void feed(std::string_view bytes);
  /// Deals with one call; false if there is none, or none may begin now.
  bool step(util::TimePoint now);
  /// Whether there is a call that step() has not dealt with.
  [[nodiscard]] bool has_work() const { return !is_closing_ && (!calls_.empty() || lines_.has_line()); }
  void finish(Ticket ticket, const Outcome& outcome);
  /// The books have changed, or time has passed: looks again at the calls that wait for that.
  void look_again(util::TimePoint now);
  /// There is a new tip.
  void tell_tip();
  /// Of these scripts something may have changed.
  void tell_scripts(std::span<const ScriptHash> scripts);

  /// What is to be sent.
  [[nodiscard]] std::string take_output() { return std::exchange(output_, {}); }
  [[nodiscard]] std::size_t output_size() const { return output_.size(); }
  [[nodiscard]] std::vector<Order> take_orders() { return std::exchange(orders_, {}); }
  /// Nothing is read any more: the connection ends once the output is sent.
  [[nodiscard]] bool is_closing() const { return is_closing_; }

  /// What the client says it is, made printable; empty before it does.
  [[nodiscard]] const std::string& agent() const { return agent_; }
  [[nodiscard]] std::optional<Version> version() const { return version_; }
  [[nodiscard]] std::size_t subscriptions() const { return scripts_.size(); }
  /// Scripts that it asked for and no wallet has.
  [[nodiscard]] std::uint64_t strangers() const { return strangers_; }
  [[nodiscard]] bool waits() const { return !waiting_.empty(); }
  [[nodiscard]] std::uint64_t calls_seen() const { return calls_seen_; }

 private:
  friend class MethodContext;
  /// The answers of one line.
  struct Group {
    bool is_batch = false;
    std::size_t open = 0;
    std::size_t bytes = 0;
    std::vector<std::string> answers;
  };
  struct Begun {
    std::shared_ptr<Group> group;
    Call call;
  };
  struct Waiting {
    Begun begun;
    util::TimePoint since{};
  };
  struct Ordered {
    Begun begun;
    Errand errand;
  };

  void open_line(std::string_view line);
  /// True if it is answered, or an errand of it is under way.
  bool run(Begun& begun, bool last_chance);
  void answer(const Begun& begun, const util::Expected<boost::json::value, RpcError>& result);
  void answer_text(Group& group, std::string text);
  void close_one(Group& group);
  void send(const std::string& text) { (output_ += text) += '\n'; }
  [[nodiscard]] bool is_full() const { return errands_.size() + waiting_.size() >= world_.limits.under_way; }

  const World& world_;
  LineReader lines_;
  std::deque<Begun> calls_;  // of the last line, not begun yet
  std::map<Ticket, Ordered> errands_;
  std::vector<Waiting> waiting_;
  Ticket next_ticket_ = 1;
  std::string output_;
  std::vector<Order> orders_;
  std::unordered_map<ScriptHash, Status> scripts_;  // subscriptions, and what was told last
  bool wants_tips_ = false;
  std::string agent_;
  std::optional<Version> version_;
  std::uint64_t calls_seen_ = 0;
  std::uint64_t strangers_ = 0;
  bool is_closing_ = false;
};

}  // namespace spv::serve::electrum
