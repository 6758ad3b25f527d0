#include "sync/relay/announcers.h"

#include <algorithm>
#include <utility>

namespace spv::sync {
namespace {

/// In the place of a peer that is not connected any more; no peer has this id.
constexpr PeerId kGone = 0;

}  // namespace

bool Announcers::Peers::contains(PeerId peer) const {
  const auto end = ids.begin() + count;
  return std::find(ids.begin(), end, peer) != end;
}

void Announcers::Peers::add(PeerId peer) {
  if (count < kMaxPeers && !contains(peer)) ids.at(count++) = peer;
}

void Announcers::Peers::remove(PeerId peer) {
  const auto end = ids.begin() + count;
  count = static_cast<std::uint8_t>(std::remove(ids.begin(), end, peer) - ids.begin());
}

bool Announcers::add_to_known(const chain::Txid& txid, PeerId peer) {
  const auto found = known_.find(txid);
  if (found == known_.end()) return false;
  found->second.add(peer);
  return true;
}

void Announcers::add_first(const chain::Txid& txid, PeerId peer) {
  if (known_.size() >= limit_) known_.clear();
  known_[txid].add(peer);
}

std::optional<PeerId> Announcers::next_after(const chain::Txid& txid, PeerId failed) {
  const auto found = known_.find(txid);
  if (found == known_.end()) return std::nullopt;
  found->second.remove(failed);
  const auto& ids = found->second.ids;
  const auto end = ids.begin() + found->second.count;
  const auto other = std::find_if(ids.begin(), end, [](PeerId peer) { return peer != kGone; });
  if (other != end) return *other;
  known_.erase(found);
  return std::nullopt;
}

void Announcers::on_peer_lost(PeerId peer) {
  for (auto& [txid, peers] : known_) std::ranges::replace(peers.ids, peer, kGone);
}

void Announcers::keep_only(const std::vector<chain::Txid>& txids) {
  std::unordered_map<chain::Txid, Peers> kept;
  for (const auto& txid : txids) {
    if (const auto found = known_.find(txid); found != known_.end()) kept.insert(*found);
  }
  known_ = std::move(kept);
}

std::size_t Announcers::count(const chain::Txid& txid) const {
  const auto found = known_.find(txid);
  return found == known_.end() ? 0 : found->second.count;
}

bool Announcers::contains(const chain::Txid& txid, PeerId peer) const {
  const auto found = known_.find(txid);
  return found != known_.end() && found->second.contains(peer);
}

}  // namespace spv::sync
