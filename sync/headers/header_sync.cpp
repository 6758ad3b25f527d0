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

}  // namespace

void HeaderSync::add_peer(PeerId peer, const PeerAddress& address, bool in_turn, chain::Height claimed) {
  HeaderPeer& added = peers_[peer];
  added.id = peer;
  added.source = sources_.try_emplace(address, static_cast<chain::SourceId>(sources_.size())).first->second;
  added.in_turn = in_turn;
  added.claimed = claimed;
}

void HeaderSync::remove_peer(PeerId peer) {
  const auto removed = peers_.extract(peer);
  if (removed) chain_.forget(removed.mapped().source);
}

void HeaderSync::ask(HeaderPeer& peer, std::vector<chain::BlockHash> locator, util::Now now, Outbox& out) {
  peer.deadline = now.monotonic + kAnswerTimeout;
  peer.asked_at_height = chain_.height();
  peer.locator = locator;
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

void HeaderSync::on_other_progress(PeerId peer, util::Now now) {
  const auto found = peers_.find(peer);
  if (found != peers_.end() && found->second.deadline) found->second.deadline = now.monotonic + kAnswerTimeout;
}

void HeaderSync::ask_ahead(PeerId id, const p2p::Headers& message, util::Now now, Outbox& out) {
  HeaderPeer& peer = peers_.at(id);
  if (message.headers.size() != p2p::kMaxHeaders || chain_.is_probing(peer.source)) return;
  ask(peer, locator_from(message.headers.back().hash()), now, out);
  peer.asked_ahead = true;
}

HeaderSync::Result HeaderSync::on(PeerId id, const p2p::Headers& message, util::Now now, Outbox& out) {
  HeaderPeer& peer = peers_.at(id);
  if (!peer.asked_ahead) {
    const bool due = peer.deadline.has_value();
    if (due && !peer.is_answer(message)) return on_announcement(peer, message, now, out);
    peer.deadline.reset();
    if (message.headers.empty()) return on_empty(peer, due, now, out);
    ask_ahead(id, message, now, out);
  }
  const Batch batch{.full = message.headers.size() == p2p::kMaxHeaders,
                    .ahead = std::exchange(peer.asked_ahead, false)};
  const chain::AcceptResult accepted = take(peer, message, now, out);
  Result result{.update = accepted.update, .fault = std::nullopt};
  if (accepted.error) {
    result.fault = on_error(peer, *accepted.error, now, out);
  } else if (accepted.update.ask_after) {
    result.fault = on_probed(peer, accepted.update, batch, now, out);
  } else {
    result.progress = accepted.update.added > 0;
    on_accepted(peer, accepted.update, batch, now, out);
  }
  return result;
}

HeaderSync::Result HeaderSync::on_empty(HeaderPeer& peer, bool due, util::Now now, Outbox& out) {
  Result result;
  result.update.old_tip = result.update.new_tip = chain_.tip();
  if (!due) return result;
  peer.note_served(peer.asked_at_height);
  peer.note_shown(peer.asked_at_height);
  on_nothing_more(peer, now, out);
  return result;
}

std::optional<DisconnectReason> HeaderSync::on_error(HeaderPeer& peer, chain::HeaderError error, util::Now now,
                                                     Outbox& out) {
  if (error == chain::HeaderError::TimeTooNew) {
    // Our clock or theirs: not a fault. What follows cannot connect, so this peer has sent all for now.
    peer.asked_to_connect = false;
    peer.too_new = true;
    peer.rest();
    return std::nullopt;
  }
  if (error != chain::HeaderError::Unconnected || peer.asked_to_connect) return reason_of(error);
  peer.asked_to_connect = true;
  ask(peer, chain_.locator(), now, out);
  return std::nullopt;
}

std::optional<DisconnectReason> HeaderSync::on_probed(HeaderPeer& peer, const chain::ChainUpdate& update, Batch batch,
                                                      util::Now now, Outbox& out) {
  peer.asked_to_connect = false;
  peer.caught_up = false;
  if (batch.ahead) return std::nullopt;
  const bool lacks_work = update.ask_after == update.last.hash;
  if (lacks_work && !batch.full) return DisconnectReason::TooLittleWork;
  ask(peer, locator_from(*update.ask_after), now, out);
  return std::nullopt;
}

void HeaderSync::on_accepted(HeaderPeer& peer, const chain::ChainUpdate& update, Batch batch, util::Now now,
                             Outbox& out) {
  peer.asked_to_connect = false;
  // Known headers are news of a kind while they lead upwards: a fork may follow. Else it is an endless loop.
  const bool leads_on = update.added > 0 || update.last.height > peer.last_full_batch;
  peer.last_full_batch = batch.full && leads_on ? update.last.height : -1;
  if (!batch.full) return on_nothing_more(peer, now, out);
  if (!leads_on) return peer.rest();
  peer.caught_up = false;
  if (!batch.ahead) ask(peer, locator_from(update.last.hash), now, out);
}

chain::AcceptResult HeaderSync::take(HeaderPeer& peer, const p2p::Headers& message, util::Now now, Outbox& out) {
  const chain::Sender sender{.id = peer.source, .is_sole = sole_};
  const chain::AcceptResult accepted = chain_.accept(message.headers, now.wall, sender);
  added_ += accepted.update.added;
  const chain::BlockRef& last = accepted.update.last;
  if (!accepted.error) peer.note_shown(last.height);
  if (!accepted.error && chain_.hash_at(last.height) == last.hash) peer.note_served(last.height);
  ask_for_agreement(peer.id, accepted.update, out);
  if (accepted.error == chain::HeaderError::TimeTooNew) suspect_clock(message, now, out);
  note_reorganisation(peer.id, accepted.update);
  return accepted;
}

// The answer that is due stays due, by its old deadline: else a peer could put us off for ever.
HeaderSync::Result HeaderSync::on_announcement(HeaderPeer& peer, const p2p::Headers& message, util::Now now,
                                               Outbox& out) {
  peer.ask_again = true;
  const chain::AcceptResult accepted = take(peer, message, now, out);
  Result result{.update = accepted.update, .fault = std::nullopt};
  const bool excused =
      accepted.error == chain::HeaderError::Unconnected || accepted.error == chain::HeaderError::TimeTooNew;
  if (accepted.error && !excused) result.fault = reason_of(*accepted.error);
  return result;
}

// Asking once more does not hold up the sync: the peer has answered for what it had when we asked.
void HeaderSync::on_nothing_more(HeaderPeer& peer, util::Now now, Outbox& out) {
  peer.caught_up = true;
  if (std::exchange(peer.ask_again, false)) ask(peer, chain_.locator(), now, out);
}

// What the others said they have above the fork is of the chain that was left.
void HeaderSync::note_reorganisation(PeerId sender, const chain::ChainUpdate& update) {
  if (!update.tip_changed() || !update.is_reorganisation()) return;
  ++reorganisations_;
  for (auto& [id, peer] : peers_) {
    if (id != sender) peer.serves_to = std::min(peer.serves_to, *update.fork_height);
  }
}

void HeaderSync::ask_for_agreement(PeerId sender, const chain::ChainUpdate& update, Outbox& out) {
  if (!update.held || update.held == held_) return;
  held_ = update.held;
  out.notify(ReorganisationHeld{chain_.tip(), held_->tip, held_->fork_height});
  for (auto& [id, peer] : peers_) {
    if (id != sender) peer.caught_up = false;
  }
}

void HeaderSync::suspect_clock(const p2p::Headers& message, util::Now now, Outbox& out) {
  const auto ahead = std::find_if(message.headers.begin(), message.headers.end(), [now](const auto& header) {
    return header.time > now.wall + chain::kMaxFutureSeconds;
  });
  if (ahead == message.headers.end() || std::exchange(clock_suspected_, true)) return;
  out.notify(ClockSuspected{ahead->time - now.wall});
}

void HeaderSync::on_block_announced(PeerId id, const chain::BlockHash& hash, util::Now now, Outbox& out) {
  HeaderPeer& peer = peers_.at(id);
  if (const auto height = recent_height(chain_, hash)) return peer.note_served(*height);
  if (peer.deadline) {
    peer.ask_again = true;
    return;
  }
  peer.caught_up = false;
  ask(peer, chain_.locator(), now, out);
}

void HeaderSync::pump(util::Now now, Outbox& out) {
  bool one_leads = false;
  for (auto& [id, peer] : peers_) {
    if (!peer.in_turn || peer.caught_up) continue;
    if (!peer.deadline && !one_leads) ask(peer, chain_.locator(), now, out);
    // A branch that is only summed up may come to nothing: the others are not kept waiting for it.
    one_leads = one_leads || !chain_.is_probing(peer.source);
  }
}

bool HeaderSync::caught_up() const {
  bool any = false;
  for (const auto& [id, peer] : peers_) {
    if (!peer.in_turn) continue;
    if (!peer.caught_up) return false;
    any = true;
  }
  return any;
}

bool HeaderSync::is_caught_up(PeerId peer) const {
  const auto found = peers_.find(peer);
  return found != peers_.end() && found->second.caught_up;
}

chain::Height HeaderSync::serves_to(PeerId peer) const {
  const auto found = peers_.find(peer);
  return found == peers_.end() || is_outdone(peer) ? -1 : found->second.serves_to;
}

std::optional<HeaderSync::Claim> HeaderSync::overclaim(PeerId peer) const {
  const auto found = peers_.find(peer);
  if (found == peers_.end() || !found->second.overclaims()) return std::nullopt;
  return Claim{found->second.claimed, found->second.shown};
}

bool HeaderSync::is_outdone(PeerId peer) const {
  const auto is_better = [](const auto& item) {
    return item.second.in_turn && item.second.caught_up && !item.second.overclaims();
  };
  return overclaim(peer) && std::ranges::any_of(peers_, is_better);
}

bool HeaderSync::all_overclaim() const {
  bool any = false;
  for (const auto& [id, peer] : peers_) {
    if (!peer.in_turn || !peer.caught_up) continue;
    if (!peer.overclaims()) return false;
    any = true;
  }
  return any;
}

std::optional<util::TimePoint> HeaderSync::deadline(PeerId peer) const {
  const auto found = peers_.find(peer);
  return found == peers_.end() ? std::nullopt : found->second.deadline;
}

std::optional<util::TimePoint> HeaderSync::next_deadline() const {
  std::optional<util::TimePoint> next;
  for (const auto& [id, peer] : peers_) {
    if (peer.deadline && (!next || *peer.deadline < *next)) next = peer.deadline;
  }
  return next;
}

}  // namespace spv::sync
