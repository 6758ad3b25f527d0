#include "sync/headers/header_sync.h"

#include <algorithm>
#include <utility>

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

// Core announces no more blocks at once by their headers.
constexpr std::size_t kMaxAnnounced = 8;

bool is_answer(const Peer& peer, const p2p::Headers& message) {
  if (message.headers.empty() || message.headers.size() > kMaxAnnounced) return true;
  const auto& locator = peer.headers_locator;
  return std::find(locator.begin(), locator.end(), message.headers.front().previous) != locator.end();
}

}  // namespace

void HeaderSync::ask(Peer& peer, std::vector<chain::BlockHash> locator, util::Now now, Outbox& out) {
  peer.headers_deadline = now.monotonic + kAnswerTimeout;
  peer.asked_at_height = chain_.height();
  peer.headers_locator = locator;
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

chain::SourceId HeaderSync::source_of(const Peer& peer) {
  return sources_.try_emplace(peer.address, static_cast<chain::SourceId>(sources_.size())).first->second;
}

HeaderSync::Result HeaderSync::on(Peer& peer, const p2p::Headers& message, util::Now now, Outbox& out) {
  const bool due = peer.headers_deadline.has_value();
  if (due && !is_answer(peer, message)) return on_announcement(peer, message, now, out);
  Result result;
  result.update.old_tip = result.update.new_tip = chain_.tip();
  peer.headers_deadline.reset();
  if (message.headers.empty()) {
    if (!due) return result;
    peer.serves_to = std::max(peer.serves_to, peer.asked_at_height);
    on_nothing_more(peer, now, out);
    return result;
  }
  const bool more = message.headers.size() == p2p::kMaxHeaders;
  const bool ahead = more && !chain_.is_probing(source_of(peer));
  if (ahead) ask(peer, locator_from(message.headers.back().hash()), now, out);
  const chain::AcceptResult accepted = take(peer, message, now, out);
  result.update = accepted.update;
  if (accepted.error == chain::HeaderError::TimeTooNew) {
    // Our clock or theirs: not a fault. What follows cannot connect, so this peer has told us all for now.
    peer.headers_deadline.reset();
    peer.asked_to_connect = false;
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
  if (accepted.update.ask_after) {
    peer.caught_up = false;
    if (!ahead) go_on_probing(peer, accepted.update, more, now, result, out);
    return result;
  }
  // Known headers are news of a kind while they lead upwards: a fork may follow. Else it is an endless loop.
  const bool leads_on = accepted.update.added > 0 || accepted.update.last.height > peer.headers_height;
  peer.headers_height = more && leads_on ? accepted.update.last.height : -1;
  if (accepted.update.added > 0) pool_.note_progress(peer.id);
  if (!more) {
    on_nothing_more(peer, now, out);
  } else if (!leads_on) {
    peer.headers_deadline.reset();
    peer.caught_up = true;
  } else {
    peer.caught_up = false;
    if (!ahead) ask(peer, locator_from(accepted.update.last.hash), now, out);
  }
  return result;
}

chain::AcceptResult HeaderSync::take(Peer& peer, const p2p::Headers& message, util::Now now, Outbox& out) {
  const chain::Sender sender{.id = source_of(peer), .is_sole = pool_.is_sole()};
  const chain::AcceptResult accepted = chain_.accept(message.headers, now.wall, sender);
  added_ += accepted.update.added;
  const chain::BlockRef& last = accepted.update.last;
  if (!accepted.error && chain_.hash_at(last.height) == last.hash) {
    peer.serves_to = std::max(peer.serves_to, last.height);
  }
  ask_for_agreement(peer, accepted.update, out);
  if (accepted.error == chain::HeaderError::TimeTooNew) suspect_clock(message, now, out);
  return accepted;
}

// The answer that is due stays due, by its old deadline: else a peer could put us off for ever.
HeaderSync::Result HeaderSync::on_announcement(Peer& peer, const p2p::Headers& message, util::Now now, Outbox& out) {
  peer.ask_again = true;
  const chain::AcceptResult accepted = take(peer, message, now, out);
  Result result{.update = accepted.update, .fault = std::nullopt};
  const bool excused =
      accepted.error == chain::HeaderError::Unconnected || accepted.error == chain::HeaderError::TimeTooNew;
  if (accepted.error && !excused) result.fault = reason_of(*accepted.error);
  return result;
}

// Asking once more does not hold up the sync: the peer has answered for what it had when we asked.
void HeaderSync::on_nothing_more(Peer& peer, util::Now now, Outbox& out) {
  peer.caught_up = true;
  if (std::exchange(peer.ask_again, false)) ask(peer, chain_.locator(), now, out);
}

void HeaderSync::go_on_probing(Peer& peer, const chain::ChainUpdate& update, bool more, util::Now now, Result& result,
                               Outbox& out) {
  const bool lacks_work = update.ask_after == update.last.hash;
  if (lacks_work && !more) {
    result.fault = DisconnectReason::TooLittleWork;
    return;
  }
  ask(peer, locator_from(*update.ask_after), now, out);
}

void HeaderSync::suspect_clock(const p2p::Headers& message, util::Now now, Outbox& out) {
  const auto ahead = std::find_if(message.headers.begin(), message.headers.end(), [now](const auto& header) {
    return header.time > now.wall + chain::kMaxFutureSeconds;
  });
  if (ahead == message.headers.end() || std::exchange(clock_suspected_, true)) return;
  out.notify(ClockSuspected{ahead->time - now.wall});
}

void HeaderSync::ask_for_agreement(const Peer& sender, const chain::ChainUpdate& update, Outbox& out) {
  if (!update.held || update.held == held_) return;
  held_ = update.held;
  out.notify(ReorganisationHeld{chain_.tip(), held_->tip, held_->fork_height});
  for (auto& [id, peer] : pool_.peers()) {
    if (id != sender.id) peer.caught_up = false;
  }
}

void HeaderSync::on_block_announced(Peer& peer, const chain::BlockHash& hash, util::Now now, Outbox& out) {
  if (const auto height = recent_height(chain_, hash)) {
    peer.serves_to = std::max(peer.serves_to, *height);
    return;
  }
  if (peer.headers_deadline) {
    peer.ask_again = true;
    return;
  }
  peer.caught_up = false;
  ask(peer, chain_.locator(), now, out);
}

void HeaderSync::pump(util::Now now, Outbox& out) {
  bool one_leads = false;
  for (auto& [id, peer] : pool_.peers()) {
    if (!peer.ready() || peer.courier || peer.caught_up) continue;
    if (!peer.headers_deadline && !one_leads) ask(peer, chain_.locator(), now, out);
    // A branch that is only summed up may come to nothing: the others are not kept waiting for it.
    one_leads = one_leads || !chain_.is_probing(source_of(peer));
  }
}

bool HeaderSync::caught_up() const {
  bool any = false;
  for (const auto& [id, peer] : pool_.peers()) {
    if (!peer.ready() || peer.courier) continue;
    if (!peer.caught_up) return false;
    any = true;
  }
  return any;
}

}  // namespace spv::sync
