#include "sync/relay/broadcast.h"

#include <algorithm>
#include <utility>

namespace spv::sync {
namespace {

bool is_transaction(const p2p::InventoryItem& item) {
  return item.type == p2p::InventoryType::Tx || item.type == p2p::InventoryType::WitnessTx;
}

p2p::InventoryItem inventory_of(const chain::Txid& txid, p2p::InventoryType type) {
  return {type, util::retag<util::Hash256>(txid)};
}

}  // namespace

Broadcast::Broadcast(BroadcastRequested request, Purpose purpose, BroadcastTiming timing, util::Now now)
    : purpose_(purpose), timing_(timing), requested_at_(now.monotonic) {
  request.parents.push_back(std::move(request.tx));
  for (auto& tx : request.parents) {
    const auto txid = tx.txid();
    items_.push_back({txid, std::move(tx)});
  }
}

// A peer that took it is enough, unless it was lost before it had read it, or keeps it to itself. Then one more is
// told, but never the last one that could show that it was passed on.
bool Broadcast::wants_peer(const Onlookers& others, util::Now now) const {
  if (ended() || confirmed_) return false;
  if (told_.empty()) return true;
  const std::size_t most = purpose_ == Purpose::Evidence ? kMaxTold : kMaxToldAgain;
  if (told_.size() >= most || !holders_.empty()) return false;
  const auto is_open = [&](const auto& item) {
    return !item.second.lost && !item.second.delivered && now.monotonic < item.second.at + timing_.patience;
  };
  if (std::ranges::any_of(told_, is_open)) return false;
  const auto is_delivered = [](const auto& item) { return item.second.delivered.has_value(); };
  const auto delivered = std::ranges::count_if(told_, is_delivered);
  if (delivered == 0) return true;
  const bool is_late = now.monotonic >= *first_told_ + timing_.wait * 2 / 3;
  return purpose_ == Purpose::Evidence && delivered == 1 && is_late && others.silent > 1;
}

void Broadcast::announce(PeerId peer, std::string name, const Announcers& announcers, util::Now now, Outbox& out) {
  Told told;
  told.name = std::move(name);
  told.at = now.monotonic;
  p2p::Inv inv;
  for (const auto& item : items_) {
    if (item.txid != txid() && announcers.count(item.txid) > 0) continue;
    inv.items.push_back(inventory_of(item.txid, p2p::InventoryType::Tx));
  }
  told_.insert_or_assign(peer, std::move(told));
  if (!first_told_) first_told_ = now.monotonic;
  out.send(peer, std::move(inv));
}

void Broadcast::note_holder(PeerId peer, const std::string& name, util::Now now) {
  if (const auto told = told_.find(peer); told != told_.end() && took(told->second)) return;
  const auto got_it = [&](const auto& item) { return item.second.name == name && took(item.second); };
  if (std::ranges::any_of(told_, got_it)) return;  // by an earlier connection
  holders_.insert(name);
  if (!first_held_) first_held_ = now.monotonic;
}

void Broadcast::on(PeerId peer, const p2p::GetData& message, util::Rng& rng, util::Now now, Outbox& out) {
  const auto found = told_.find(peer);
  if (found == told_.end() || ended()) return;
  Told& told = found->second;
  const bool had_it = took(told);
  for (const auto& wanted : message.items) {
    if (!is_transaction(wanted)) continue;
    const auto item = std::ranges::find(items_, util::retag<chain::Txid>(wanted.hash), &Item::txid);
    if (item == items_.end() || !told.sent.insert(item->txid).second) continue;
    out.send(peer, p2p::Tx{item->tx, item->txid});
  }
  if (had_it || !took(told)) return;
  told.at = now.monotonic;
  told.fence = rng.next();
  out.send(peer, p2p::Ping{*told.fence});
}

void Broadcast::on(PeerId peer, const std::string& name, const p2p::Inv& message, util::Now now) {
  const auto is_it = [&](const p2p::InventoryItem& item) {
    return is_transaction(item) && item.hash == util::retag<util::Hash256>(txid());
  };
  if (!ended() && std::ranges::any_of(message.items, is_it)) note_holder(peer, name, now);
}

bool Broadcast::on(PeerId peer, const p2p::Pong& message, util::Now now) {
  const auto found = told_.find(peer);
  if (found == told_.end() || found->second.fence != message.nonce) return false;
  found->second.fence.reset();
  found->second.delivered = now.monotonic;
  return true;
}

bool Broadcast::on_tx(PeerId peer, const chain::Txid& txid_given, util::Now now) {
  const auto found = told_.find(peer);
  if (found == told_.end() || !found->second.asked || txid_given != txid()) return false;
  note_holder(peer, found->second.name, now);
  return true;
}

void Broadcast::on_peer_lost(PeerId peer) {
  if (const auto found = told_.find(peer); found != told_.end()) found->second.lost = true;
}

bool Broadcast::is_waiting_for_parents(const Told& told, util::TimePoint now) const {
  return told.delivered && !told.lost && told.sent.size() < items_.size() && now < *told.delivered + timing_.orphan;
}

BroadcastState Broadcast::state() const {
  if (confirmed_) return BroadcastState::Confirmed;
  if (!holders_.empty()) return BroadcastState::Accepted;
  const auto has_taken = [this](const auto& item) { return took(item.second); };
  if (std::ranges::any_of(told_, has_taken)) return BroadcastState::Fetched;
  return told_.empty() ? BroadcastState::Uncertain : BroadcastState::Announced;
}

// True if no peer is about to take it any more, or the parents that it lacks.
bool Broadcast::is_enough(util::TimePoint now) const {
  return std::ranges::all_of(told_, [&](const auto& item) {
    const Told& told = item.second;
    if (told.delivered) return !is_waiting_for_parents(told, now);
    return told.lost || now >= told.at + timing_.patience + timing_.answer;
  });
}

bool Broadcast::is_known(const Onlookers& others, util::TimePoint now) const {
  if (confirmed_) return true;
  if (!first_told_) return now >= requested_at_ + timing_.search;
  if (now >= *first_told_ + timing_.wait) return true;
  if (!is_enough(now)) return false;
  const bool nobody_left = others.silent == 0 && !others.more_to_come;
  if (!holders_.empty()) return nobody_left || now >= *first_held_ + timing_.gather;
  const auto is_delivered = [](const auto& item) { return item.second.delivered.has_value(); };
  const bool delivered = std::ranges::any_of(told_, is_delivered);
  if (purpose_ == Purpose::TellAgain) return delivered || told_.size() >= kMaxToldAgain || nobody_left;
  return delivered && nobody_left;
}

void Broadcast::advance(const Onlookers& others, util::Now now, Outbox& out) {
  if (ended()) return;
  looked_at_ = now.monotonic;
  for (auto& [peer, told] : told_) {
    const bool is_silent = !took(told) && !told.lost && !told.asked && now.monotonic >= told.at + timing_.patience;
    if (!is_silent) continue;
    told.asked = true;  // who has it does not fetch it
    out.send(peer, p2p::GetData{{inventory_of(txid(), p2p::InventoryType::WitnessTx)}});
  }
  tell_user(is_known(others, now.monotonic), out);
}

void Broadcast::end(Outbox& out) {
  if (!ended()) tell_user(true, out);
}

void Broadcast::tell_user(bool final, Outbox& out) {
  BroadcastChanged news{txid(), state(), holders_.size(), {}, final};
  for (const auto& [peer, told] : told_) {
    if (took(told)) news.fetched_by.push_back(told.name);
  }
  if (final && news.state == BroadcastState::Announced) news.state = BroadcastState::Uncertain;
  if (!final && news.state == BroadcastState::Uncertain) return;  // nothing has happened yet
  const bool same = told_user_ && told_user_->state == news.state && told_user_->final == final &&
                    told_user_->peers_accepted == news.peers_accepted && told_user_->fetched_by == news.fetched_by;
  if (same) return;
  told_user_ = news;
  out.notify(std::move(news));
}

std::optional<util::TimePoint> Broadcast::deadline() const {
  if (ended()) return std::nullopt;
  std::optional<util::TimePoint> next;
  const auto consider = [&](util::TimePoint at) {
    if (at > looked_at_ && (!next || at < *next)) next = at;
  };
  if (!first_told_) {
    consider(requested_at_ + timing_.search);
    return next;
  }
  consider(*first_told_ + timing_.wait);
  consider(*first_told_ + timing_.wait * 2 / 3);
  if (first_held_) consider(*first_held_ + timing_.gather);
  for (const auto& [peer, told] : told_) {
    consider(told.at + timing_.patience);
    consider(told.at + timing_.patience + timing_.answer);
    if (told.delivered) consider(*told.delivered + timing_.orphan);
  }
  return next;
}

}  // namespace spv::sync
