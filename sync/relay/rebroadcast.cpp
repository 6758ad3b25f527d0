#include "sync/relay/rebroadcast.h"

#include <algorithm>
#include <utility>

namespace spv::sync {
namespace {

util::Duration up_to(util::Duration longest, util::Rng& rng) {
  return util::Duration(static_cast<util::Duration::rep>(rng.below(static_cast<std::uint64_t>(longest.count()) + 1)));
}

}  // namespace

void Rebroadcast::update(std::vector<OwnTransaction> pending, chain::Height tip, util::Now now, util::Rng& rng) {
  const auto before = std::exchange(entries_, {});
  for (auto& own : pending) {
    const auto same = [&](const Entry& entry) { return entry.own.txid == own.txid; };
    const auto known = std::find_if(before.begin(), before.end(), same);
    Entry entry = known == before.end() ? Entry{} : *known;
    entry.own = std::move(own);
    if (!entry.due && entry.own.seen_at < tip) entry.due = now.monotonic + up_to(kLongestDelay, rng);
    entries_.push_back(std::move(entry));
  }
}

const Rebroadcast::Entry* Rebroadcast::next_due() const {
  const auto earlier = [](const Entry& a, const Entry& b) { return a.due && (!b.due || *a.due < *b.due); };
  const auto first = std::min_element(entries_.begin(), entries_.end(), earlier);
  return first == entries_.end() || !first->due ? nullptr : &*first;
}

bool Rebroadcast::is_due(util::Now now) const {
  const auto at = next_due();
  return at != nullptr && now.monotonic >= std::max(*at->due, not_before_);
}

std::vector<Rebroadcast::Entry>::const_iterator Rebroadcast::to_announce(util::Now now) const {
  const auto soon = now.monotonic + kLongestDelay;
  return std::ranges::find_if(entries_, [&](const Entry& entry) { return entry.due && *entry.due <= soon; });
}

std::vector<Rebroadcast::Entry>::iterator Rebroadcast::find(const chain::Txid& txid) {
  return std::ranges::find_if(entries_, [&](const Entry& entry) { return entry.own.txid == txid; });
}

std::optional<chain::Txid> Rebroadcast::next(util::Now now) const {
  const auto entry = to_announce(now);
  return entry == entries_.end() ? std::nullopt : std::optional(entry->own.txid);
}

bool Rebroadcast::has_ignored(PeerId peer, util::Now now) const {
  const auto entry = to_announce(now);
  return entry != entries_.end() && std::ranges::find(entry->ignored_by, peer) != entry->ignored_by.end();
}

void Rebroadcast::rest(Entry& entry, util::Now now, util::Rng& rng) {
  entry.due = now.monotonic + kPause + up_to(kPause, rng);
}

bool Rebroadcast::announce(PeerId peer, util::Now now, util::Rng& rng, Outbox& out) {
  const auto txid = next(now);
  if (!txid) return false;
  rest(*find(*txid), now, rng);
  announced_[peer] = {*txid, now.monotonic};
  out.send(peer, p2p::Inv{{{p2p::InventoryType::Tx, util::retag<util::Hash256>(*txid)}}});
  postpone(now, rng);
  return true;
}

void Rebroadcast::rest(util::Now now, util::Rng& rng) {
  const auto txid = next(now);
  if (!txid) return;
  const auto entry = find(*txid);
  entry->ignored_by.clear();
  rest(*entry, now, rng);
}

void Rebroadcast::end(PeerId peer, util::Now now, util::Rng& rng) {
  const auto ended = announced_.extract(peer);
  if (!ended) return;
  const auto entry = find(ended.mapped().txid);
  if (entry == entries_.end()) return;
  entry->ignored_by.push_back(peer);
  if (ended.mapped().fetched || entry->ignored_by.size() >= kMaxPeers) {
    entry->ignored_by.clear();
  } else {
    entry->due = now.monotonic + up_to(kLongestDelay, rng);
  }
}

void Rebroadcast::postpone(util::Now now, util::Rng& rng) { not_before_ = now.monotonic + up_to(kLongestDelay, rng); }

void Rebroadcast::on(PeerId peer, const p2p::GetData& message, Outbox& out) {
  const auto announced = announced_.find(peer);
  if (announced == announced_.end()) return;
  const auto wanted = util::retag<util::Hash256>(announced->second.txid);
  const auto is_it = [&](const p2p::InventoryItem& item) {
    const bool is_tx = item.type == p2p::InventoryType::Tx || item.type == p2p::InventoryType::WitnessTx;
    return is_tx && item.hash == wanted;
  };
  const auto entry = find(announced->second.txid);
  if (entry == entries_.end() || std::ranges::none_of(message.items, is_it)) return;
  announced->second.fetched = true;
  out.send(peer, p2p::Tx{entry->own.tx, entry->own.txid});
}

bool Rebroadcast::is_done(PeerId peer, util::Now now) const {
  const auto announced = announced_.find(peer);
  return announced != announced_.end() && now.monotonic >= announced->second.at + kFetchTime;
}

std::optional<util::TimePoint> Rebroadcast::deadline() const {
  std::optional<util::TimePoint> next;
  if (const auto* entry = next_due()) next = std::max(*entry->due, not_before_);
  for (const auto& [peer, announced] : announced_) {
    const auto over = announced.at + kFetchTime;
    if (!next || over < *next) next = over;
  }
  return next;
}

}  // namespace spv::sync
