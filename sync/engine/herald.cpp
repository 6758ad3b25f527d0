#include "sync/engine/herald.h"

#include <algorithm>
#include <array>
#include <utility>

namespace spv::sync {
namespace {

/// Those of `pending` that one of them spends from, parents first.
std::vector<chain::Transaction> parents_among(const std::vector<OwnTransaction>& pending, const OwnTransaction& child) {
  std::set<chain::Txid> wanted;
  const auto want_inputs = [&](const chain::Transaction& tx) {
    for (const auto& input : tx.inputs) wanted.insert(input.previous.txid);
  };
  want_inputs(child.tx);
  std::vector<chain::Transaction> found;
  for (auto own = pending.rbegin(); own != pending.rend(); ++own) {
    if (!wanted.contains(own->txid)) continue;
    found.push_back(own->tx);
    want_inputs(own->tx);
  }
  std::ranges::reverse(found);
  return found;
}

}  // namespace

const Herald::Task* Herald::find(const chain::Txid& txid) const {
  const auto found = std::ranges::find_if(tasks_, [&](const Task& task) { return task.broadcast.txid() == txid; });
  return found == tasks_.end() ? nullptr : &*found;
}

void Herald::add(BroadcastRequested request, Broadcast::Purpose purpose, util::Now now) {
  if (tasks_.size() >= kMaxRemembered) std::erase_if(tasks_, [](const Task& task) { return task.broadcast.ended(); });
  tasks_.push_back({Broadcast(std::move(request), purpose, rules_.timing, now), purpose});
}

// Asked for once more, it begins anew: the user wants to know how it stands now.
void Herald::request(BroadcastRequested request, util::Now now) {
  const auto txid = request.tx.txid();
  const Task* known = find(txid);
  if (known != nullptr && !known->broadcast.ended() && known->purpose == Broadcast::Purpose::Evidence) return;
  std::erase_if(tasks_, [&](const Task& task) { return task.broadcast.txid() == txid; });
  add(std::move(request), Broadcast::Purpose::Evidence, now);
  for (const auto& [id, peer] : pool_.peers()) {
    if (announcers_.contains(txid, id)) tasks_.back().broadcast.note_holder(id, to_string(peer.address), now);
  }
}

void Herald::tell_again(const std::vector<OwnTransaction>& pending, util::Now now) {
  for (const auto& own : pending) {
    if (knows(own.txid) || announcers_.count(own.txid) > 0) continue;
    add({own.tx, parents_among(pending, own)}, Broadcast::Purpose::TellAgain, now);
    began_again_ = now.monotonic;
  }
}

bool Herald::is_idle() const {
  return std::ranges::all_of(tasks_, [](const Task& task) { return task.broadcast.ended(); });
}

bool Herald::on_messenger_ready(const Peer& peer, util::Now now, Outbox& out) {
  const auto txid = messengers_.at(peer.id);
  const auto task = std::ranges::find_if(tasks_, [&](const Task& t) { return t.broadcast.txid() == txid; });
  if (task == tasks_.end() || !task->broadcast.wants_peer(onlookers(task->broadcast, now), now)) return false;
  task->broadcast.announce(peer.id, to_string(peer.address), announcers_, now, out);
  return true;
}

void Herald::on_peer_lost(PeerId peer) {
  messengers_.erase(peer);
  for (auto& task : tasks_) task.broadcast.on_peer_lost(peer);
}

void Herald::on(PeerId peer, const p2p::GetData& message, util::Rng& rng, util::Now now, Outbox& out) {
  for (auto& task : tasks_) task.broadcast.on(peer, message, rng, now, out);
}

void Herald::on(const Peer& peer, const p2p::Inv& message, util::Now now) {
  for (auto& task : tasks_) {
    if (!task.broadcast.ended()) task.broadcast.on(peer.id, to_string(peer.address), message, now);
  }
}

bool Herald::on(PeerId peer, const p2p::Pong& message, util::Now now) {
  return std::ranges::any_of(tasks_, [&](Task& task) { return task.broadcast.on(peer, message, now); });
}

bool Herald::on_tx(PeerId peer, const chain::Txid& txid, util::Now now) {
  return std::ranges::any_of(tasks_, [&](Task& task) { return task.broadcast.on_tx(peer, txid, now); });
}

void Herald::on_confirmed(const chain::Txid& txid) {
  for (auto& task : tasks_) {
    if (task.broadcast.txid() == txid) task.broadcast.on_confirmed();
  }
}

// A peer that offers no filters announces nothing to us: it was told that we want no transactions, and cannot be told
// otherwise.
bool Herald::can_hear(const Peer& peer) const { return rules_.hears && peer.ready() && peer.offers_bloom(); }

Onlookers Herald::onlookers(const Broadcast& broadcast, util::Now now) const {
  Onlookers out;
  for (const auto& [id, peer] : pool_.peers()) {
    if (broadcast.was_told(id) || is_messenger(id) || !can_hear(peer)) continue;
    if (!broadcast.is_holder(to_string(peer.address))) ++out.silent;
  }
  out.more_to_come = rules_.hears && pool_.waits_for_others(now).has_value();
  return out;
}

std::size_t Herald::dialling(const chain::Txid& txid) const {
  return static_cast<std::size_t>(std::ranges::count_if(messengers_, [&](const auto& item) {
    const auto peer = pool_.peers().find(item.first);
    return item.second == txid && peer != pool_.peers().end() && !peer->second.ready();
  }));
}

bool Herald::dial(Task& task, util::Now now, util::Rng& rng, Outbox& out) {
  if (rules_.unfiltered) return false;
  const auto& txid = task.broadcast.txid();
  std::size_t under_way = dialling(txid);
  while (under_way < kMaxDialling && task.dialled < kMaxDialled) {
    const auto stranger = pool_.dial_stranger(now, rng, out);
    if (!stranger) break;
    messengers_.emplace(*stranger, txid);
    ++task.dialled;
    ++under_way;
  }
  return under_way > 0;
}

void Herald::tell(Task& task, util::Now now, util::Rng& rng, Outbox& out) {
  const Onlookers others = onlookers(task.broadcast, now);
  if (!task.broadcast.wants_peer(others, now)) return;
  const bool has_time = now.monotonic < task.broadcast.requested_at() + kStrangerTime;
  if (dial(task, now, rng, out) && has_time) return;
  // With two at hand one can be told and the other can show that it was passed on.
  if (has_time && others.more_to_come && others.silent < 2) return;
  const Peer* peer = choose_peer(task.broadcast, rng);
  if (peer != nullptr) task.broadcast.announce(peer->id, to_string(peer->address), announcers_, now, out);
}

// Rather one that cannot show us that it was passed on, and one that has not told us that it has it.
const Peer* Herald::choose_peer(const Broadcast& broadcast, util::Rng& rng) const {
  std::array<std::vector<const Peer*>, 3> by_rank;
  for (const auto& [id, peer] : pool_.peers()) {
    if (!peer.ready() || is_messenger(id) || broadcast.was_told(id)) continue;
    const std::size_t rank = broadcast.is_holder(to_string(peer.address)) ? 2 : can_hear(peer) ? 1 : 0;
    by_rank.at(rank).push_back(&peer);
  }
  for (const auto& peers : by_rank) {
    if (!peers.empty()) return peers[rng.below(peers.size())];
  }
  return nullptr;
}

void Herald::advance(util::Now now, util::Rng& rng, Outbox& out) {
  looked_at_ = now.monotonic;
  const bool is_over = began_again_ && now.monotonic >= *began_again_ + kLongestTelling;
  std::size_t again = 0;
  for (auto& task : tasks_) {
    if (task.broadcast.ended()) continue;
    const bool tells_again = task.purpose == Broadcast::Purpose::TellAgain;
    if (tells_again && is_over) task.broadcast.end(out);
    if (tells_again && again++ >= kMaxAtOnce) continue;
    tell(task, now, rng, out);
    task.broadcast.advance(onlookers(task.broadcast, now), now, out);
  }
}

std::vector<PeerId> Herald::done() const {
  std::vector<PeerId> ids;
  for (const auto& [id, txid] : messengers_) {
    const Task* task = find(txid);
    if (task == nullptr || task->broadcast.ended()) ids.push_back(id);
  }
  return ids;
}

void Herald::end(Outbox& out) {
  for (auto& task : tasks_) task.broadcast.end(out);
}

std::optional<util::TimePoint> Herald::deadline() const {
  std::optional<util::TimePoint> next;
  const auto consider = [&](std::optional<util::TimePoint> at) {
    if (at && *at > looked_at_ && (!next || *at < *next)) next = at;
  };
  for (const auto& task : tasks_) {
    if (task.broadcast.ended()) continue;
    consider(task.broadcast.deadline());
    consider(task.broadcast.requested_at() + kStrangerTime);
    consider(pool_.waits_for_others({.monotonic = looked_at_, .wall = 0}));
    if (began_again_) consider(*began_again_ + kLongestTelling);
  }
  return next;
}

}  // namespace spv::sync
