// Errands: what the engine does beside the sync: tells transactions that the user sends (Herald), tells own ones again
// that wait for a block (Courier), and asks what a transaction must pay (FeeSurvey).
#pragma once

#include <optional>
#include <vector>

#include "sync/engine/courier.h"
#include "sync/engine/engine_options.h"
#include "sync/engine/herald.h"
#include "sync/relay/fee_survey.h"

namespace spv::sync {

class Errands {
 public:
  /// What is referred to outlives this.
  Errands(const EngineOptions& options, PeerPool& pool, const Announcers& announcers, const chain::HeaderChain& chain,
          Courier::Pending pending);

  Courier courier;
  Herald herald;
  FeeSurvey fees;

  /// What the options ask for begins.
  void start(EngineOptions::Errands& errands, util::Now now);
  /// True if the end need not wait for them.
  [[nodiscard]] bool are_done() const { return herald.is_idle() && !fees.is_active(); }
  /// True for a connection that was made to tell a transaction: it serves nothing else.
  [[nodiscard]] bool is_messenger(PeerId peer) const { return courier.is_courier(peer) || herald.is_messenger(peer); }
  /// The handshake with such a peer is done; false if it is not needed any more.
  bool on_messenger_ready(const Peer& peer, util::Now now, util::Rng& rng, Outbox& out);
  void on_peer_lost(PeerId peer, util::Now now, util::Rng& rng);
  /// `caught_up`: the newest blocks of the network are known.
  void advance(bool caught_up, util::Now now, util::Rng& rng, Outbox& out);
  /// There is no more time: the user is told what is known.
  void end(Outbox& out);
  /// But for the courier's, which works only where the engine stays.
  [[nodiscard]] std::optional<util::TimePoint> deadline() const;

 private:
  PeerPool& pool_;
  util::TimePoint looked_at_{};
};

}  // namespace spv::sync
