#include "sync/header_sync.h"

#include <algorithm>

namespace spv::sync {
namespace {

// A new block is near the tip; a search of the whole chain for each announcement would be a gift to an attacker.
std::optional<chain::Height> recent_height(const chain::HeaderChain& chain, const chain::BlockHash& hash) {
  constexpr chain::Height kDepth = 288;
  const chain::Height lowest = std::max(chain.base_height(), chain.height() - kDepth);
  for (chain::Height height = chain.height(); height >= lowest; --height) {
    if (chain.hash_at(height) == hash) return height;
  }
  return std::nullopt;
}

}  // namespace

void HeaderSync::ask(Peer& peer, std::vector<chain::BlockHash> locator, util::Now now, Outbox& out) {
  peer.headers_deadline = now.monotonic + kAnswerTimeout;
  peer.asked_at_height = chain_.height();
  p2p::GetHeaders message;
  message.locator = std::move(locator);
  out.send(peer.id, std::move(message));
}

// Where the peer has left the branch of `last` meanwhile, it goes on from what it shares with our chain.
std::vector<chain::BlockHash> HeaderSync::locator_from(const chain::BlockHash& last) const {
  std::vector<chain::BlockHash> locator = chain_.locator();
  locator.insert(locator.begin(), last);
  if (locator.size() > p2p::kMaxLocator) locator.erase(locator.end() - 2);
  return locator;
}

void HeaderSync::on_other_progress(Peer& peer, util::Now now) {
  if (peer.headers_deadline) peer.headers_deadline = now.monotonic + kAnswerTimeout;
}

HeaderSync::Result HeaderSync::on(Peer& peer, const p2p::Headers& message, util::Now now, Outbox& out) {
  Result result;
  result.update.old_tip = result.update.new_tip = chain_.tip();
  const bool answer = peer.headers_deadline.has_value();
  peer.headers_deadline.reset();
  if (message.headers.empty()) {
    if (!answer) return result;
    peer.caught_up = true;
    peer.serves_to = peer.asked_at_height;
    return result;
  }
  const bool more = message.headers.size() == p2p::kMaxHeaders;
  if (more) ask(peer, locator_from(message.headers.back().hash()), now, out);
  const chain::AcceptResult accepted = chain_.accept(message.headers, now.wall);
  result.update = accepted.update;
  added_ += accepted.update.added;
  const chain::BlockRef& last = accepted.update.last;
  if (!accepted.error && chain_.hash_at(last.height) == last.hash)
    peer.serves_to = std::max(peer.serves_to, last.height);
  if (accepted.error == chain::HeaderError::TimeTooNew) {
    // Our clock or theirs: not a fault. What follows cannot connect, so this peer has told us all for now.
    peer.headers_deadline.reset();
    peer.caught_up = true;
    return result;
  }
  if (accepted.error == chain::HeaderError::Unconnected && !peer.asked_to_connect) {
    peer.asked_to_connect = true;
    ask(peer, chain_.locator(), now, out);
    return result;
  }
  if (accepted.error) {
    result.fault = reason_of(*accepted.error);
    return result;
  }
  peer.asked_to_connect = false;
  // Known headers are news of a kind while they lead upwards: a fork may follow. Else it is an endless loop.
  const bool leads_on = accepted.update.added > 0 || accepted.update.last.height > peer.headers_height;
  peer.headers_height = more ? accepted.update.last.height : -1;
  if (more && !leads_on) {
    peer.headers_deadline.reset();
    peer.headers_height = -1;
    peer.caught_up = true;
    return result;
  }
  peer.caught_up = !more;
  if (accepted.update.added > 0) pool_.note_progress(peer.id);
  return result;
}

void HeaderSync::on_block_announced(Peer& peer, const chain::BlockHash& hash, util::Now now, Outbox& out) {
  if (const auto height = recent_height(chain_, hash)) {
    peer.serves_to = std::max(peer.serves_to, *height);
    return;
  }
  if (peer.headers_deadline) return;
  peer.caught_up = false;
  ask(peer, chain_.locator(), now, out);
}

void HeaderSync::pump(util::Now now, Outbox& out) {
  bool one_leads = false;
  for (auto& [id, peer] : pool_.peers()) {
    if (!peer.ready() || peer.caught_up) continue;
    if (!peer.headers_deadline && !one_leads) ask(peer, chain_.locator(), now, out);
    one_leads = true;
  }
}

bool HeaderSync::caught_up() const {
  bool any = false;
  for (const auto& [id, peer] : pool_.peers()) {
    if (!peer.ready()) continue;
    if (!peer.caught_up) return false;
    any = true;
  }
  return any;
}

}  // namespace spv::sync
