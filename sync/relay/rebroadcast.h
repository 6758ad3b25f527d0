// Rebroadcast: the wallet's own transactions that wait for a block, announced to the network again. Only what a new
// block did not confirm is announced, about twice a day, one at a time and each after a random delay, to one peer that
// never got our filter: nobody who knows which addresses are ours learns that we are the one who sends (security.md
// P6). A peer that does not fetch it has it already or keeps it back: then one other peer gets the announcement.
//
//   waiting --a block came without it--> due (within 30 s) --announce--> announced --fetched--> due in 12 to 24 h
//                                          ^------not fetched, the first time------/
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "sync/types/outbox.h"
#include "sync/watch/watcher.h"
#include "util/rng.h"

namespace spv::sync {

class Rebroadcast {
 public:
  static constexpr util::Duration kLongestDelay = std::chrono::seconds(30);
  static constexpr util::Duration kPause = std::chrono::hours(12);
  /// How long a peer has to fetch what was announced to it.
  static constexpr util::Duration kFetchTime = std::chrono::seconds(30);
  /// One transaction is announced to this many peers in a row while none fetches it.
  static constexpr std::size_t kMaxPeers = 2;

  /// The wallet's own transactions that wait for a block, parents first, at this tip.
  void update(std::vector<OwnTransaction> pending, chain::Height tip, util::Now now, util::Rng& rng);
  /// True if one should be announced now.
  [[nodiscard]] bool is_due(util::Now now) const;
  /// Which one would be announced.
  [[nodiscard]] std::optional<chain::Txid> next(util::Now now) const;
  /// True if the next one was announced to this peer a moment ago, and it did not fetch it.
  [[nodiscard]] bool has_ignored(PeerId peer, util::Now now) const;
  /// Announces one to a peer, which then may fetch it; false if there is none.
  bool announce(PeerId peer, util::Now now, util::Rng& rng, Outbox& out);
  /// There is no peer to announce it to now: tries again within kLongestDelay.
  void postpone(util::Now now, util::Rng& rng);
  /// Every peer that there is got the announcement: the next one waits for half a day.
  void rest(util::Now now, util::Rng& rng);
  /// Sends what was announced to this peer, and nothing else.
  void on(PeerId peer, const p2p::GetData& message, Outbox& out);
  /// The peer is gone, or its time to fetch is over.
  void end(PeerId peer, util::Now now, util::Rng& rng);
  /// True if something was announced to this peer and its time to fetch it is over.
  [[nodiscard]] bool is_done(PeerId peer, util::Now now) const;
  [[nodiscard]] std::optional<util::TimePoint> deadline() const;

 private:
  struct Entry {
    OwnTransaction own;
    std::optional<util::TimePoint> due;
    std::vector<PeerId> ignored_by;  // in this round
  };
  struct Announced {
    chain::Txid txid;
    util::TimePoint at{};
    bool fetched = false;
  };
  [[nodiscard]] const Entry* next_due() const;
  /// The one to announce now. A parent that would be announced a moment later goes first: without it nobody takes the
  /// child.
  [[nodiscard]] std::vector<Entry>::const_iterator to_announce(util::Now now) const;
  [[nodiscard]] std::vector<Entry>::iterator find(const chain::Txid& txid);
  static void rest(Entry& entry, util::Now now, util::Rng& rng);

  std::vector<Entry> entries_;             // parents first
  std::map<PeerId, Announced> announced_;  // one each
  util::TimePoint not_before_{};           // so that no two are announced at once
};

}  // namespace spv::sync
