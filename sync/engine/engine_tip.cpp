// An engine at the tip that it follows: own transactions are told again, and a tip that grows stale is noticed.
#include <algorithm>
#include <utility>

#include "sync/engine/engine.h"

namespace spv::sync {

void Engine::tell_own_again(util::Now now) {
  std::vector<PeerId> done;
  for (const auto& [id, peer] : pool_.peers()) {
    if (rebroadcast_.is_done(id, now)) done.push_back(id);
  }
  for (const PeerId id : done) {
    rebroadcast_.end(id, now, rng_);
    if (pool_.find(id)->courier) drop(id, DisconnectReason::Finished, now);
  }
  if (!at_rest()) {
    if (rebroadcast_.is_due(now)) rebroadcast_.postpone(now, rng_);
    return;
  }
  const std::pair here{chain_.tip(), scan_.wallet_version()};
  if (std::exchange(pending_at_, here) != here) {
    rebroadcast_.update(watcher_.own_pending(), chain_.height(), now, rng_);
  }
  if (rebroadcast_.is_due(now)) send_courier(now);
}

void Engine::send_courier(util::Now now) {
  const auto& peers = pool_.peers();
  const bool busy = std::ranges::any_of(peers, [](const auto& item) { return item.second.courier; });
  if (busy) return rebroadcast_.postpone(now, rng_);
  const bool unfiltered = options_.source.mode == SourceMode::Blocks;  // nobody ever gets our filter
  if (!unfiltered && pool_.dial_courier(now, rng_, out_)) return rebroadcast_.postpone(now, rng_);
  // Where the user has named all peers, and so trusts them, there is nobody else.
  const bool may_tell = unfiltered || !pool_.uses_book();
  const bool any_ready = std::ranges::any_of(peers, [](const auto& item) { return item.second.ready(); });
  if (!may_tell || !any_ready) return rebroadcast_.postpone(now, rng_);
  const auto peer = whom_to_tell(now);
  if (!peer) return rebroadcast_.rest(now, rng_);
  static_cast<void>(rebroadcast_.announce(*peer, now, rng_, out_));
}

// Rather one that has not told us of it: whoever did has it, and the others may never hear of it from there.
std::optional<PeerId> Engine::whom_to_tell(util::Now now) {
  const auto txid = rebroadcast_.next(now);
  std::vector<PeerId> knowing;
  std::vector<PeerId> unknowing;
  for (const auto& [id, peer] : pool_.peers()) {
    if (!txid || !peer.ready() || rebroadcast_.has_ignored(id, now)) continue;
    (relay_.announcers().contains(*txid, id) ? knowing : unknowing).push_back(id);
  }
  const auto& best = unknowing.empty() ? knowing : unknowing;
  return best.empty() ? std::nullopt : std::optional(best[rng_.below(best.size())]);
}

// All peers may be stuck at one tip, or keep the next block from us. New ones of the book may not.
void Engine::check_stale(util::Now now) {
  if (!finished_ || now.monotonic < tip_changed_at_ + kStaleAfter) return;
  tip_changed_at_ = now.monotonic;
  const auto age = chain_.at(chain_.height()) ? now.wall - chain_.at(chain_.height())->time : 0;
  out_.notify(ChainStale{chain_.tip(), age});
  if (!pool_.uses_book()) return;
  std::vector<PeerId> ids;
  for (const auto& [id, peer] : pool_.peers()) {
    if (peer.ready()) ids.push_back(id);
  }
  for (const PeerId id : ids) drop(id, DisconnectReason::Lagging, now);
}

}  // namespace spv::sync
