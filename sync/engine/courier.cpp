#include "sync/engine/courier.h"

#include <algorithm>

namespace spv::sync {

bool Courier::on_courier_ready(PeerId peer, util::Now now, util::Rng& rng, Outbox& out) {
  return rebroadcast_.announce(peer, now, rng, out);
}

void Courier::on_peer_lost(PeerId peer, util::Now now, util::Rng& rng) {
  rebroadcast_.end(peer, now, rng);
  if (courier_ == peer) courier_.reset();
}

std::optional<PeerId> Courier::end_fetches(util::Now now, util::Rng& rng) {
  std::optional<PeerId> done;
  for (const auto& [id, peer] : pool_.peers()) {
    if (!rebroadcast_.is_done(id, now)) continue;
    rebroadcast_.end(id, now, rng);
    if (is_courier(id)) done = id;
  }
  return done;
}

void Courier::at_rest(const chain::BlockRef& tip, std::uint64_t version, util::Now now, util::Rng& rng, Outbox& out,
                      const Untold& untold) {
  const Look here{tip, version, static_cast<bool>(untold)};
  if (std::exchange(looked_at_, here) != here) {
    auto pending = pending_();
    for (auto& own : pending) {
      // As if a block had passed it by: nobody would put it into one.
      if (untold && untold(own.txid)) own.seen_at = std::min(own.seen_at, tip.height - 1);
    }
    rebroadcast_.update(std::move(pending), tip.height, now, rng);
  }
  if (rebroadcast_.is_due(now)) announce(now, rng, out);
}

void Courier::not_at_rest(util::Now now, util::Rng& rng) {
  if (rebroadcast_.is_due(now)) rebroadcast_.postpone(now, rng);
}

void Courier::announce(util::Now now, util::Rng& rng, Outbox& out) {
  if (courier_) return rebroadcast_.postpone(now, rng);
  if (!unfiltered_) courier_ = pool_.dial_stranger(now, rng, out);
  if (courier_) return rebroadcast_.postpone(now, rng);
  // Where the user has named all peers, and so trusts them, there is nobody else.
  const bool may_announce = unfiltered_ || !pool_.uses_book();
  const bool any_ready = std::ranges::any_of(pool_.peers(), [](const auto& item) { return item.second.ready(); });
  if (!may_announce || !any_ready) return rebroadcast_.postpone(now, rng);
  const auto peer = choose_peer(now, rng);
  if (!peer) return rebroadcast_.rest(now, rng);
  static_cast<void>(rebroadcast_.announce(*peer, now, rng, out));
}

// Rather one that has not announced it to us: whoever did has it, and the others may never hear of it from there.
std::optional<PeerId> Courier::choose_peer(util::Now now, util::Rng& rng) const {
  const auto txid = rebroadcast_.next(now);
  std::vector<PeerId> knowing;
  std::vector<PeerId> unknowing;
  for (const auto& [id, peer] : pool_.peers()) {
    if (!txid || !peer.ready() || rebroadcast_.has_ignored(id, now)) continue;
    (announcers_.contains(*txid, id) ? knowing : unknowing).push_back(id);
  }
  const auto& best = unknowing.empty() ? knowing : unknowing;
  return best.empty() ? std::nullopt : std::optional(best[rng.below(best.size())]);
}

}  // namespace spv::sync
