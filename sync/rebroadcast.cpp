#include "sync/rebroadcast.h"

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
    auto due = known == before.end() ? std::nullopt : known->due;
    if (!due && own.seen_at < tip) due = now.monotonic + up_to(kLongestDelay, rng);
    entries_.push_back({std::move(own), due});
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

bool Rebroadcast::announce(PeerId peer, util::Now now, util::Rng& rng, Outbox& out) {
  // A parent that would be told a moment later goes first: without it a child is nothing to a node.
  const auto soon = now.monotonic + kLongestDelay;
  const auto ready = [&](const Entry& entry) { return entry.due && *entry.due <= soon; };
  const auto entry = std::find_if(entries_.begin(), entries_.end(), ready);
  if (entry == entries_.end()) return false;
  entry->due = now.monotonic + kPause + up_to(kPause, rng);
  told_[peer] = {entry->own.txid, now.monotonic};
  out.send(peer, p2p::Inv{{{p2p::InventoryType::Tx, util::retag<util::Hash256>(entry->own.txid)}}});
  postpone(now, rng);
  return true;
}

void Rebroadcast::postpone(util::Now now, util::Rng& rng) { not_before_ = now.monotonic + up_to(kLongestDelay, rng); }

void Rebroadcast::on(PeerId peer, const p2p::GetData& message, Outbox& out) {
  const auto told = told_.find(peer);
  if (told == told_.end()) return;
  const auto wanted = util::retag<util::Hash256>(told->second.txid);
  const auto is_it = [&](const p2p::InventoryItem& item) {
    const bool is_tx = item.type == p2p::InventoryType::Tx || item.type == p2p::InventoryType::WitnessTx;
    return is_tx && item.hash == wanted;
  };
  const auto entry =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.own.txid == told->second.txid; });
  if (entry == entries_.end() || std::none_of(message.items.begin(), message.items.end(), is_it)) return;
  out.send(peer, p2p::Tx{entry->own.tx, entry->own.txid});
}

bool Rebroadcast::is_done(PeerId peer, util::Now now) const {
  const auto told = told_.find(peer);
  return told != told_.end() && now.monotonic >= told->second.at + kFetchTime;
}

std::optional<util::TimePoint> Rebroadcast::deadline() const {
  std::optional<util::TimePoint> next;
  if (const auto* entry = next_due()) next = std::max(*entry->due, not_before_);
  for (const auto& [peer, told] : told_) {
    const auto over = told.at + kFetchTime;
    if (!next || over < *next) next = over;
  }
  return next;
}

}  // namespace spv::sync
