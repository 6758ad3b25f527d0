// BookDialer: which addresses of the address book are dialled and when, and what is written down of each. A failure
// counts against a node only while others can be reached: a machine that is offline learns nothing about its peers
// (security.md E3, E5, E9, R5).
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "p2p/address_book.h"
#include "sync/types/outbox.h"

namespace spv::sync {

/// An address book and how to use it; the book outlives its user.
struct BookUse {
  p2p::AddressBook* book = nullptr;
  std::size_t wanted = 4;  // connections to keep
  p2p::AddressBook::Reach reach;
  std::vector<PeerAddress> fixed{};  // dialled when neither the book nor the seeds have anybody left
};

/// How many more addresses we take from a peer: a thousand at once, then one in ten seconds (security.md R5).
class AddressAllowance {
 public:
  static constexpr std::size_t kBurst = 1'000;
  static constexpr util::Duration kPause = std::chrono::seconds(10);

  /// How many of `sent` addresses are taken.
  std::size_t take(std::size_t sent, util::TimePoint now);

 private:
  std::size_t left_ = kBurst;
  std::optional<util::TimePoint> refilled_;
};

class BookDialer {
 public:
  /// Fewer addresses than this at hand: the seeds are asked.
  static constexpr std::size_t kFewAddresses = 16;
  static constexpr std::size_t kMaxDialling = 8;
  /// So many failures in a row, and nobody reached: a run that is not to stay gives up.
  static constexpr std::size_t kMaxFailures = 200;
  static constexpr util::Duration kSearchPause = std::chrono::minutes(10);
  /// No longer than this without a new attempt, so that a network that is back is used within five seconds.
  static constexpr util::Duration kLongestPause = std::chrono::seconds(4);

  BookDialer(BookUse use, bool persistent) : use_(std::move(use)), persistent_(persistent) {}

  /// What to dial now. `in_use`: all that is connected or being dialled; `ready`: how many of them serve us.
  std::vector<PeerAddress> choose(const std::vector<PeerAddress>& in_use, std::size_t ready, util::Now now,
                                  util::Rng& rng, Outbox& out);
  /// A node that never served us, so that it cannot know our filter; nothing if none is known.
  [[nodiscard]] std::optional<PeerAddress> choose_stranger(const std::vector<PeerAddress>& in_use, util::Now now,
                                                           util::Rng& rng) const;
  void on_found(const PeersFound& found, util::Now now, util::Rng& rng);
  /// Addresses that a peer sent: takes as many as its allowance permits.
  void on(PeerId peer, const PeerAddress& sender, const p2p::Addr& message, util::Now now, util::Rng& rng);
  void on(PeerId peer, const PeerAddress& sender, const p2p::AddrV2& message, util::Now now, util::Rng& rng);
  /// The connection is gone, and its allowance with it.
  void forget(PeerId peer) { allowances_.erase(peer); }
  void on_ready(const PeerAddress& address, std::uint64_t services, util::Now now);
  /// How things stood when a peer was lost.
  struct Circumstances {
    bool served = false;          // it had become ready
    bool others_reached = false;  // somebody else is connected
  };
  /// What the peer says of the chain is doubtful; empty: no longer.
  void on_doubt(const PeerAddress& address, const std::string& why);
  void on_lost(const PeerAddress& address, const std::string& error, std::optional<DisconnectReason> reason,
               Circumstances circumstances, util::Now now, util::Rng& rng);

  /// Connections to keep.
  [[nodiscard]] std::size_t wanted() const { return use_.wanted; }
  /// True if there is nothing left to dial.
  [[nodiscard]] bool exhausted() const;
  [[nodiscard]] std::optional<util::TimePoint> next_deadline() const { return next_dial_; }
  /// "12 addresses tried, the last one 1.2.3.4:8333: timed out"
  [[nodiscard]] std::string errors() const;
  /// How many addresses are known, where all of them are banned; else 0.
  [[nodiscard]] std::size_t all_banned() const { return banned_ == use_.book->size() ? banned_ : 0; }

 private:
  std::optional<PeerAddress> next(std::set<p2p::NetAddress>& in_use, util::Now now, util::Rng& rng);
  void search(util::Now now, Outbox& out);
  void take_fixed(util::Now now, util::Rng& rng);
  void pause(util::Now now, util::Rng& rng);
  void take(const PeerAddress& sender, const p2p::NetAddress& address, std::uint64_t services, std::uint32_t seen,
            util::Now now, util::Rng& rng);

  BookUse use_;
  bool persistent_;
  std::map<PeerId, AddressAllowance> allowances_;
  std::deque<PeerAddress> names_;  // of seeds that can only be dialled by name, behind a proxy
  bool searching_ = false;
  std::optional<util::TimePoint> searched_at_;
  bool starved_ = false;
  std::optional<util::TimePoint> next_dial_;
  std::size_t failures_ = 0;  // in a row
  std::size_t attempts_ = 0;
  std::size_t banned_ = 0;  // addresses of the book, when it was last looked through in vain
  std::string last_error_;
};

}  // namespace spv::sync
