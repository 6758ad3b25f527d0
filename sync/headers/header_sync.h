// HeaderSync: headers from one peer at a time until it has no more, then what the others have above that, so that
// one peer alone cannot hide a heavier chain. The next request goes out before the last batch is checked.
//
// While an answer is due, what the peer announces by itself is told apart from it: an answer follows one of the blocks
// that we named. An announcement settles nothing; its headers are taken, and we ask once more at the end.
//
//   a peer:  not asked --ask--> answer due --full batch--> answer due
//                                   \--fewer, none, or nothing new--> caught up --a block is announced--> answer due
#pragma once

#include <map>
#include <optional>

#include "chain/header_chain.h"
#include "sync/headers/header_peer.h"
#include "sync/types/outbox.h"

namespace spv::sync {

class HeaderSync {
 public:
  /// A peer that owes us headers and is silent for this long is left (security.md E1).
  static constexpr util::Duration kAnswerTimeout = std::chrono::seconds(10);

  /// `sole`: there is one peer only, and nobody else can be asked.
  HeaderSync(chain::HeaderChain& chain, bool sole) : chain_(chain), sole_(sole) {}

  /// The peer is ready. `in_turn` false: it is never asked of our own accord, only listened to. `claimed`: how many
  /// blocks it says it has.
  void add_peer(PeerId peer, const PeerAddress& address, bool in_turn = true, chain::Height claimed = -1);
  /// The connection is gone, and with it what only this peer stood for.
  void remove_peer(PeerId peer);

  /// What a headers message came to.
  struct Result {
    chain::ChainUpdate update;
    std::optional<DisconnectReason> fault;
    bool progress = false;  // it brought us forward
  };
  /// The peer has sent this, and on() is called with it next: asks for what follows, so that the peer is at work while
  /// it is checked.
  void ask_ahead(PeerId peer, const p2p::Headers& message, util::Now now, Outbox& out);
  Result on(PeerId peer, const p2p::Headers& message, util::Now now, Outbox& out);
  /// The peer has announced a block: we ask for its headers, unless we know it already.
  void on_block_announced(PeerId peer, const chain::BlockHash& hash, util::Now now, Outbox& out);
  /// The peer is busy with something else that we asked for first: it reads our request only afterwards.
  void on_other_progress(PeerId peer, util::Now now);
  /// Asks whoever is to be asked next.
  void pump(util::Now now, Outbox& out);

  /// Every peer has sent all it has.
  [[nodiscard]] bool caught_up() const;
  /// This peer has.
  [[nodiscard]] bool is_caught_up(PeerId peer) const;
  /// How far a peer shows the chain that it claims to have.
  struct Claim {
    chain::Height claimed = -1;
    chain::Height shown = -1;
  };
  /// Set if the peer has sent all it has and that is less than it claims: it is on another chain, or still syncing.
  [[nodiscard]] std::optional<Claim> overclaim(PeerId peer) const;
  /// The same, and there is a peer of which that is not true: this one is not needed.
  [[nodiscard]] bool is_outdone(PeerId peer) const;
  /// True if there are peers that have sent all they have, and all of them claim more.
  [[nodiscard]] bool all_overclaim() const;
  /// The peer has the blocks of the best chain up to here; -1: it has not said so, or is outdone.
  [[nodiscard]] chain::Height serves_to(PeerId peer) const;
  /// When the peer's silence becomes a fault.
  [[nodiscard]] std::optional<util::TimePoint> deadline(PeerId peer) const;
  [[nodiscard]] std::optional<util::TimePoint> next_deadline() const;
  [[nodiscard]] std::uint64_t added() const { return added_; }
  [[nodiscard]] std::uint64_t reorganisations() const { return reorganisations_; }

 private:
  /// How a batch stands to the next request.
  struct Batch {
    bool full = false;   // more may follow
    bool ahead = false;  // and was asked for already
  };

  void ask(HeaderPeer& peer, std::vector<chain::BlockHash> locator, util::Now now, Outbox& out);
  [[nodiscard]] std::vector<chain::BlockHash> locator_from(const chain::BlockHash& last) const;
  [[nodiscard]] chain::AcceptResult take(HeaderPeer& peer, const p2p::Headers& message, util::Now now, Outbox& out);
  Result on_announcement(HeaderPeer& peer, const p2p::Headers& message, util::Now now, Outbox& out);
  Result on_empty(HeaderPeer& peer, bool due, util::Now now, Outbox& out);
  std::optional<DisconnectReason> on_error(HeaderPeer& peer, chain::HeaderError error, util::Now now, Outbox& out);
  std::optional<DisconnectReason> on_probed(HeaderPeer& peer, const chain::ChainUpdate& update, Batch batch,
                                            util::Now now, Outbox& out);
  void on_accepted(HeaderPeer& peer, const chain::ChainUpdate& update, Batch batch, util::Now now, Outbox& out);
  void on_nothing_more(HeaderPeer& peer, util::Now now, Outbox& out);
  void note_reorganisation(PeerId sender, const chain::ChainUpdate& update);
  void ask_for_agreement(PeerId sender, const chain::ChainUpdate& update, Outbox& out);
  void suspect_clock(const p2p::Headers& message, util::Now now, Outbox& out);

  chain::HeaderChain& chain_;
  bool sole_;
  std::map<PeerId, HeaderPeer> peers_;
  std::map<PeerAddress, chain::SourceId> sources_;  // by the address: a peer that comes back is not a second one
  std::optional<chain::HeldBranch> held_;           // reported already
  bool clock_suspected_ = false;                    // the same
  std::uint64_t added_ = 0;
  std::uint64_t reorganisations_ = 0;
};

}  // namespace spv::sync
