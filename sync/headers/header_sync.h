// HeaderSync: headers from one peer at a time until it has no more, then what the others have above that, so that
// one peer alone cannot hide a heavier chain. The next request goes out before the last batch is checked.
//
// While an answer is due, what the peer announces by itself is told apart from it: an answer follows one of the blocks
// that we named. An announcement settles nothing; it is only taken, or makes us ask once more at the end.
#pragma once

#include <map>
#include <optional>

#include "chain/header_chain.h"
#include "sync/peers/peer_pool.h"
#include "sync/types/outbox.h"

namespace spv::sync {

class HeaderSync {
 public:
  /// A peer that owes us headers and is silent for this long is left (security.md E1).
  static constexpr util::Duration kAnswerTimeout = std::chrono::seconds(10);

  HeaderSync(chain::HeaderChain& chain, PeerPool& pool) : chain_(chain), pool_(pool) {}

  /// What a headers message came to.
  struct Result {
    chain::ChainUpdate update;
    std::optional<DisconnectReason> fault;
  };
  Result on(Peer& peer, const p2p::Headers& message, util::Now now, Outbox& out);
  /// The peer has announced a block: one that we do not know, or of which it only now tells that it has it.
  void on_block_announced(Peer& peer, const chain::BlockHash& hash, util::Now now, Outbox& out);
  /// The peer is busy with something else that we asked for first: it reads our question only afterwards.
  static void on_other_progress(Peer& peer, util::Now now);
  /// The connection is gone, and with it what only this peer stood for.
  void on_peer_lost(const Peer& peer) { chain_.forget(source_of(peer)); }
  /// Asks whoever is to be asked next.
  void pump(util::Now now, Outbox& out);
  /// Every ready peer has told us all it knows.
  [[nodiscard]] bool caught_up() const;
  [[nodiscard]] std::uint64_t added() const { return added_; }

 private:
  void ask(Peer& peer, std::vector<chain::BlockHash> locator, util::Now now, Outbox& out);
  void on_nothing_more(Peer& peer, util::Now now, Outbox& out);
  [[nodiscard]] std::vector<chain::BlockHash> locator_from(const chain::BlockHash& last) const;
  /// By the address: a peer that comes back is no second one.
  [[nodiscard]] chain::SourceId source_of(const Peer& peer);
  [[nodiscard]] chain::AcceptResult take(Peer& peer, const p2p::Headers& message, util::Now now, Outbox& out);
  Result on_announcement(Peer& peer, const p2p::Headers& message, util::Now now, Outbox& out);
  void go_on_probing(Peer& peer, const chain::ChainUpdate& update, bool more, util::Now now, Result& result,
                     Outbox& out);
  void suspect_clock(const p2p::Headers& message, util::Now now, Outbox& out);
  void ask_for_agreement(const Peer& sender, const chain::ChainUpdate& update, Outbox& out);

  chain::HeaderChain& chain_;
  PeerPool& pool_;
  std::map<PeerAddress, chain::SourceId> sources_;
  std::optional<chain::HeldBranch> held_;  // told already
  bool clock_suspected_ = false;           // the same
  std::uint64_t added_ = 0;
};

}  // namespace spv::sync
