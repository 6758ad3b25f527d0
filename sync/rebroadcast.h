// Rebroadcast: the wallet's own transactions that wait for a block, told to the network again. Only what a block has
// passed by is told, once in half a day or so, one at a time and each at a moment of its own, to one peer that never
// got our filter: nobody who knows which addresses are ours learns that we are the one who sends (security.md P6).
//
//   waiting --a block came without it--> due (within 30 s) --announce--> told --12 to 24 h--> due ...
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "sync/outbox.h"
#include "sync/watcher.h"
#include "util/rng.h"

namespace spv::sync {

class Rebroadcast {
 public:
  static constexpr util::Duration kLongestDelay = std::chrono::seconds(30);
  static constexpr util::Duration kPause = std::chrono::hours(12);
  /// How long a peer has to fetch what it was told.
  static constexpr util::Duration kFetchTime = std::chrono::seconds(30);

  /// The wallet's own transactions that wait for a block, parents first, at this tip.
  void update(std::vector<OwnTransaction> pending, chain::Height tip, util::Now now, util::Rng& rng);
  /// True if one should be announced now.
  [[nodiscard]] bool is_due(util::Now now) const;
  /// Announces one to a peer, which then may fetch it; false if there is none.
  bool announce(PeerId peer, util::Now now, util::Rng& rng, Outbox& out);
  /// Nobody could be told: later then.
  void postpone(util::Now now, util::Rng& rng);
  /// Sends what was announced to this peer, and nothing else.
  void on(PeerId peer, const p2p::GetData& message, Outbox& out);
  void on_peer_lost(PeerId peer) { told_.erase(peer); }
  /// True if this peer was told something and its time to fetch it is over.
  [[nodiscard]] bool is_done(PeerId peer, util::Now now) const;
  [[nodiscard]] std::optional<util::TimePoint> deadline() const;

 private:
  struct Entry {
    OwnTransaction own;
    std::optional<util::TimePoint> due;
  };
  struct Told {
    chain::Txid txid;
    util::TimePoint at{};
  };
  [[nodiscard]] const Entry* next_due() const;

  std::vector<Entry> entries_;    // parents first
  std::map<PeerId, Told> told_;   // one each
  util::TimePoint not_before_{};  // so that no two are told at once
};

}  // namespace spv::sync
