// EventLog: what happens to the wallets of a data directory and to the chain, in one order, in a file of its own
// (events.sqlite). Each wallet's file has its events first; the log takes them over by their numbers, so that a crash
// between the two neither loses nor doubles one. That a wallet was added or removed, and the tips of the chain, are
// told here alone. Consumers keep their positions here by name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "store/chain_view.h"
#include "store/database.h"
#include "store/logged_event.h"
#include "store/outbox.h"

namespace spv::store {

/// Whose events: a wallet's name, and what tells it from another one of that name before.
struct EventSource {
  std::string wallet;
  std::uint64_t identity = 0;
};

class EventLog {
 public:
  /// Makes it if it is not there. Throws StoreError.
  explicit EventLog(const std::filesystem::path& path);

  /// The number of the last event that was taken over from a wallet; 0: none.
  [[nodiscard]] std::int64_t last_of(const EventSource& source);
  /// The names under which events of this wallet were taken over.
  [[nodiscard]] std::vector<std::string> names_of(std::uint64_t identity);
  /// The wallet has another name by now: its events go on where they were.
  void rename(const EventSource& source, const std::string& name);
  /// The same for all wallets of a name.
  void rename_all(const std::string& from, const std::string& to);

  /// Those that were told as added and not as removed.
  [[nodiscard]] std::vector<EventSource> wallets();
  [[nodiscard]] bool has(const EventSource& source);
  /// Tells it, unless it has it. Another wallet of that name must be gone, and that is told before.
  void add_wallet(const EventSource& source, util::UnixTime now);
  /// Tells that the wallets of this name are gone, if it has any.
  void remove_wallet(const std::string& name, util::UnixTime now);
  /// Tells the tip, and before it a reorganisation, unless the log has a tip of as much work.
  void tell_tip(const ChainView& view, util::UnixTime now);

  struct Addition {
    EventSource source;
    std::vector<StoredEvent> events;
  };
  /// All of it or nothing, in this order; what is there already is left out.
  void append(const std::vector<Addition>& additions);

  /// At most `limit` of those above `after`, in order; of one wallet, or of all.
  [[nodiscard]] std::vector<LoggedEvent> read(Seq after, std::size_t limit, const std::optional<std::string>& wallet);
  /// Of the last event ever; 0: none.
  [[nodiscard]] Seq newest();
  /// Of the first one that is kept, or would be: newest() + 1 where all are forgotten. Nothing before the first event.
  [[nodiscard]] std::optional<Seq> oldest();
  /// Forgets events that were stored before this time.
  void prune(util::UnixTime before);

  /// What a consumer has said that it has dealt with; 0: nothing yet.
  [[nodiscard]] Seq position(const std::string& consumer);
  /// Never goes back.
  void acknowledge(const std::string& consumer, Seq seq);

 private:
  [[nodiscard]] std::optional<ToldTip> told_tip();
  [[nodiscard]] std::vector<chain::BlockRef> told_blocks();
  void keep_chain(const ChainView& view, chain::Height above);
  // Within a transaction.
  void add(const std::string& wallet, util::UnixTime now, const EventData& event);
  void tell_removed(const std::string& wallet, util::UnixTime now);

  Database db_;
};

}  // namespace spv::store
