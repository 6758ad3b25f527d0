#include "sync/header_sync.h"

#include <algorithm>

namespace spv::sync {

void HeaderSync::ask(Peer& peer, std::vector<chain::BlockHash> locator, util::Now now, Outbox& out) {
  peer.headers_deadline = now.monotonic + kAnswerTimeout;
  p2p::GetHeaders message;
  message.locator = std::move(locator);
  out.send(peer.id, std::move(message));
}

HeaderSync::Result HeaderSync::on(Peer& peer, const p2p::Headers& message, util::Now now, Outbox& out) {
  Result result;
  result.update.old_tip = result.update.new_tip = chain_.tip();
  const bool answer = peer.headers_deadline.has_value();
  peer.headers_deadline.reset();
  if (message.headers.empty()) {
    if (answer) peer.caught_up = true;
    return result;
  }
  const bool more = message.headers.size() == p2p::kMaxHeaders;
  if (more) ask(peer, {message.headers.back().hash()}, now, out);
  const chain::AcceptResult accepted = chain_.accept(message.headers, now.wall);
  result.update = accepted.update;
  added_ += accepted.update.added;
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
  if (more && accepted.update.added == 0) {
    // A full batch without anything new: an endless loop is the only thing to be had there.
    peer.headers_deadline.reset();
    peer.caught_up = true;
    return result;
  }
  peer.caught_up = !more;
  if (accepted.update.added > 0) pool_.note_progress(peer.id);
  return result;
}

void HeaderSync::on_block_announced(Peer& peer, const chain::BlockHash& hash, util::Now now, Outbox& out) {
  if (chain_.knows(hash) || peer.headers_deadline) return;
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
