#include "sync/tx_relay.h"

#include <algorithm>
#include <map>
#include <utility>

namespace spv::sync {
namespace {

/// In the place of a peer that is not connected any more; no peer has this id.
constexpr PeerId kGone = 0;

}  // namespace

std::string_view to_string(MempoolState state) {
  switch (state) {
    case MempoolState::Answered:
      return "answered";
    case MempoolState::Skipped:
      return "skipped";
    case MempoolState::Idle:
    case MempoolState::Asked:
    case MempoolState::TimedOut:
      return "timeout";
  }
  return "timeout";
}

TxRelay::TxRelay(Watcher& watcher, util::Duration wait, bool unfiltered)
    : watcher_(watcher),
      wait_(wait),
      most_queued_(unfiltered ? kMaxUnfiltered : kMaxQueuedPerPeer),
      most_remembered_(unfiltered ? kMaxUnfiltered : kMaxRemembered),
      mempool_(wait > util::Duration::zero() ? MempoolState::Idle : MempoolState::Skipped) {}

void TxRelay::ask_mempool(PeerId peer, util::Now now, Outbox& out) {
  if (mempool_ == MempoolState::Skipped) return;
  if (asked_.empty()) {  // whoever comes later does not make the wait longer
    asked_at_ = now.monotonic;
    deadline_ = asked_at_ + wait_;
    mempool_ = MempoolState::Asked;
    forget_seen();
  }
  asked_.insert(peer);
  out.send(peer, p2p::Mempool{});
}

void TxRelay::ask_again(util::Now now, Outbox& out) {
  if (mempool_ == MempoolState::Skipped || asked_.empty()) return;
  answered_.clear();
  for (const PeerId peer : std::exchange(asked_, {})) ask_mempool(peer, now, out);
}

// What meant nothing when it came may mean something by now.
void TxRelay::forget_seen() {
  std::unordered_set<chain::Txid> due;
  for (const auto& [txid, peer] : requested_) due.insert(txid);
  for (const auto& [txid, peer] : queue_) due.insert(txid);
  std::erase_if(seen_, [&](const auto& item) { return !due.contains(item.first); });
}

void TxRelay::enqueue(const chain::Txid& txid, PeerId peer) {
  queue_.emplace_back(txid, peer);
  ++queued_[peer];
}

void TxRelay::Tellers::add(PeerId peer) {
  const auto known = peers.begin() + count;
  if (count < kMaxTellers && std::find(peers.begin(), known, peer) == known) peers.at(count++) = peer;
}

void TxRelay::Tellers::remove(PeerId peer) {
  const auto known = peers.begin() + count;
  count = static_cast<std::uint8_t>(std::remove(peers.begin(), known, peer) - peers.begin());
}

// Whoever announces what it does not deliver must not keep us from it: others that told of it are asked.
void TxRelay::try_another(const chain::Txid& txid, PeerId failed) {
  const auto known = seen_.find(txid);
  if (known == seen_.end()) return;
  known->second.remove(failed);
  const auto& peers = known->second.peers;
  const auto end = peers.begin() + known->second.count;
  const auto other = std::find_if(peers.begin(), end, [](PeerId peer) { return peer != kGone; });
  if (other == end) {
    seen_.erase(known);
  } else {
    enqueue(txid, *other);
  }
}

std::size_t TxRelay::tellers(const chain::Txid& txid) const {
  const auto found = seen_.find(txid);
  return found == seen_.end() ? 0 : found->second.count;
}

void TxRelay::on(PeerId peer, const p2p::Inv& message, util::Now now, Outbox& out) {
  bool any = false;
  for (const auto& item : message.items) {
    if (item.type != p2p::InventoryType::Tx && item.type != p2p::InventoryType::WitnessTx) continue;
    any = true;
    const auto txid = util::retag<chain::Txid>(item.hash);
    if (const auto known = seen_.find(txid); known != seen_.end()) {
      known->second.add(peer);
      continue;
    }
    if (queued_[peer] >= most_queued_) continue;
    if (seen_.size() >= most_remembered_) seen_.clear();
    seen_[txid].add(peer);
    enqueue(txid, peer);
  }
  if (any && asked_.contains(peer)) answered_.insert(peer);
  request_more(now, out);
  settle();
}

void TxRelay::request_more(util::Now now, Outbox& out) {
  std::map<PeerId, p2p::GetData> messages;
  while (!queue_.empty() && requested_.size() < kMaxRequested) {
    const auto [txid, peer] = queue_.front();
    queue_.pop_front();
    --queued_[peer];
    requested_.emplace(txid, peer);
    messages[peer].items.push_back({p2p::InventoryType::WitnessTx, util::retag<util::Hash256>(txid)});
  }
  if (!messages.empty()) last_request_ = now.monotonic;
  for (auto& [peer, message] : messages) out.send(peer, std::move(message));
}

bool TxRelay::has_asked(PeerId peer, const chain::Txid& txid) const {
  const auto found = requested_.find(txid);
  return found != requested_.end() && found->second == peer;
}

void TxRelay::on(PeerId peer, const p2p::NotFound& message, util::Now now, Outbox& out) {
  for (const auto& item : message.items) {
    const auto txid = util::retag<chain::Txid>(item.hash);
    if (!has_asked(peer, txid)) continue;
    requested_.erase(txid);
    try_another(txid, peer);
  }
  request_more(now, out);
  settle();
}

wallet::Changes TxRelay::on(PeerId peer, const chain::Transaction& tx, const chain::Txid& txid, util::Now now,
                            Outbox& out) {
  remember(tx, txid);
  if (!has_asked(peer, txid)) return {};
  requested_.erase(txid);
  last_request_ = now.monotonic;  // it is at work
  // The wallet keeps what means nothing yet for a while: a child may come before its parent.
  wallet::Changes changes = watcher_.on_unconfirmed(tx, now.wall);
  request_more(now, out);
  settle();
  return changes;
}

void TxRelay::remember(const chain::Transaction& tx, const chain::Txid& txid) {
  if (find_recent(txid) != nullptr) return;
  const std::size_t bytes = tx.serialize().size();
  if (bytes > kMaxRecentBytes) return;
  while (recent_.size() >= kMaxRecent || recent_bytes_ + bytes > kMaxRecentBytes) {
    recent_bytes_ -= recent_.front().bytes;
    recent_.pop_front();
  }
  recent_.push_back({txid, tx, bytes});
  recent_bytes_ += bytes;
}

const chain::Transaction* TxRelay::find_recent(const chain::Txid& txid) const {
  const auto found =
      std::find_if(recent_.begin(), recent_.end(), [&](const Recent& item) { return item.txid == txid; });
  return found == recent_.end() ? nullptr : &found->tx;
}

void TxRelay::settle() {
  const bool all = !asked_.empty() && answered_.size() == asked_.size();
  if (mempool_ != MempoolState::Asked || !all || !requested_.empty() || !queue_.empty()) return;
  mempool_ = MempoolState::Answered;
}

void TxRelay::on_peer_lost(PeerId peer, util::Now now, Outbox& out) {
  std::vector<chain::Txid> owed;
  const auto take = [&](const auto& item) {
    if (item.second == peer) owed.push_back(item.first);
    return item.second == peer;
  };
  std::erase_if(requested_, take);
  std::erase_if(queue_, take);
  for (const auto& txid : owed) try_another(txid, peer);
  // It has told of the rest all the same, but cannot be asked.
  for (auto& [txid, tellers] : seen_) std::ranges::replace(tellers.peers, peer, kGone);
  asked_.erase(peer);
  answered_.erase(peer);
  queued_.erase(peer);
  request_more(now, out);
  settle();
}

void TxRelay::tick(util::Now now, Outbox& out) {
  if (!requested_.empty() && now.monotonic >= last_request_ + kFetchTimeout) {
    for (const auto& [txid, peer] : std::exchange(requested_, {})) try_another(txid, peer);
    request_more(now, out);
  }
  settle();
  if (mempool_ != MempoolState::Asked || now.monotonic < time_limit()) return;
  if (now.monotonic < time_limit() + kLateTick) {
    mempool_ = MempoolState::TimedOut;
  } else {
    deadline_ = now.monotonic + kLateTick;  // we stood still, and the answer may lie there unread
  }
}

util::TimePoint TxRelay::time_limit() const {
  return requested_.empty() && queue_.empty() ? deadline_ : deadline_ + kFetchTimeout;
}

std::optional<util::TimePoint> TxRelay::deadline() const {
  std::optional<util::TimePoint> next;
  if (mempool_ == MempoolState::Asked) next = time_limit();
  if (!requested_.empty()) {
    const auto fetch = last_request_ + kFetchTimeout;
    if (!next || fetch < *next) next = fetch;
  }
  return next;
}

}  // namespace spv::sync
