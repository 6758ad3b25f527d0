// Courier: announces the wallet's own transactions that wait for a block to the network again. Rebroadcast says which
// and when; this says to whom: by a connection made for it to a node that never got our filter (security.md P6), or,
// where all peers were named by the user or none gets a filter, to one of those.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "sync/peers/peer_pool.h"
#include "sync/relay/announcers.h"
#include "sync/relay/rebroadcast.h"

namespace spv::sync {

class Courier {
 public:
  /// The wallet's own transactions that wait for a block, parents first.
  using Pending = std::function<std::vector<OwnTransaction>()>;

  /// `unfiltered`: no peer ever gets our filter. What is referred to outlives this.
  Courier(PeerPool& pool, const Announcers& announcers, Pending pending, bool unfiltered)
      : pool_(pool), announcers_(announcers), pending_(std::move(pending)), unfiltered_(unfiltered) {}

  /// True for the connection that was made to announce a transaction: it serves nothing else.
  [[nodiscard]] bool is_courier(PeerId peer) const { return courier_ == peer; }
  /// The handshake with that peer is done: announces. False if there is nothing to announce any more.
  bool on_courier_ready(PeerId peer, util::Now now, util::Rng& rng, Outbox& out);
  /// A peer fetches what was announced to it.
  void on(PeerId peer, const p2p::GetData& message, Outbox& out) { rebroadcast_.on(peer, message, out); }
  void on_peer_lost(PeerId peer, util::Now now, util::Rng& rng);

  /// Ends what peers had their time to fetch; the courier if it is done and can be disconnected.
  [[nodiscard]] std::optional<PeerId> end_fetches(util::Now now, util::Rng& rng);
  /// The wallet is scanned up to `tip`, and `version` is another one if its transactions changed: announces what is
  /// due. `untold`: true for one that no peer has; empty as long as that is not known.
  using Untold = std::function<bool(const chain::Txid&)>;
  void at_rest(const chain::BlockRef& tip, std::uint64_t version, util::Now now, util::Rng& rng, Outbox& out,
               const Untold& untold = {});
  /// The wallet is not scanned to the tip: what is due may be confirmed by then.
  void not_at_rest(util::Now now, util::Rng& rng);
  /// Other wallets are watched: theirs are looked through next time.
  void look_again() { looked_at_.reset(); }
  [[nodiscard]] std::optional<util::TimePoint> deadline() const { return rebroadcast_.deadline(); }

 private:
  struct Look {
    chain::BlockRef tip;
    std::uint64_t version = 0;
    bool knows_untold = false;
    friend bool operator==(const Look&, const Look&) = default;
  };
  void announce(util::Now now, util::Rng& rng, Outbox& out);
  [[nodiscard]] std::optional<PeerId> choose_peer(util::Now now, util::Rng& rng) const;

  PeerPool& pool_;
  const Announcers& announcers_;
  Pending pending_;
  bool unfiltered_;
  Rebroadcast rebroadcast_;
  std::optional<PeerId> courier_;  // one at a time
  std::optional<Look> looked_at_;  // how things stood when they were last looked through
};

}  // namespace spv::sync
