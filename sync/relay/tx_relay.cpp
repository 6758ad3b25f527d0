#include "sync/relay/tx_relay.h"

#include <algorithm>
#include <vector>

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
    case MempoolState::Idle:  // there was nobody to ask
      return "skipped";
    case MempoolState::Asked:
    case MempoolState::TimedOut:
      return "timeout";
  }
  return "timeout";
}

TxRelay::TxRelay(Watcher& watcher, util::Duration wait, bool unfiltered)
    : watcher_(watcher),
      wait_(wait),
      most_overrun_(unfiltered ? kMaxUnfilteredOverrun : kMaxOverrun),
      most_queued_(unfiltered ? kMaxUnfiltered : kMaxQueuedPerPeer),
      most_remembered_(unfiltered ? kMaxUnfiltered : kMaxRemembered),
      holding_(unfiltered),
      mempool_(wait > util::Duration::zero() ? MempoolState::Idle : MempoolState::Skipped) {}

void TxRelay::ask_mempool(PeerId peer, util::Now now, Outbox& out) {
  if (mempool_ == MempoolState::Skipped) return;
  if (asked_.empty()) {  // whoever comes later does not make the wait longer
    asked_at_ = now.monotonic;
    deadline_ = asked_at_ + wait_;
    put_off_ = false;
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

void TxRelay::release(util::Now now, Outbox& out) {
  if (!std::exchange(holding_, false)) return;
  deadline_ = std::max(deadline_, now.monotonic);
  request_more(now, out);
  settle();
}

// What meant nothing when it came may mean something by now.
void TxRelay::forget_seen() {
  std::unordered_map<chain::Txid, Tellers> due;
  const auto keep = [&](const chain::Txid& txid) {
    if (const auto known = seen_.find(txid); known != seen_.end()) due.insert(*known);
  };
  for (const auto& [txid, request] : requested_) keep(txid);
  for (const auto& [peer, line] : lines_) std::ranges::for_each(line.queue, keep);
  seen_ = std::move(due);
}

bool TxRelay::Tellers::contains(PeerId peer) const {
  const auto known = peers.begin() + count;
  return std::find(peers.begin(), known, peer) != known;
}

void TxRelay::Tellers::add(PeerId peer) {
  if (count < kMaxTellers && !contains(peer)) peers.at(count++) = peer;
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
    lines_[*other].queue.push_back(txid);
  }
}

std::size_t TxRelay::tellers(const chain::Txid& txid) const {
  const auto found = seen_.find(txid);
  return found == seen_.end() ? 0 : found->second.count;
}

bool TxRelay::was_told_by(PeerId peer, const chain::Txid& txid) const {
  const auto found = seen_.find(txid);
  return found != seen_.end() && found->second.contains(peer);
}

void TxRelay::on(PeerId peer, const p2p::Inv& message, util::Now now, Outbox& out) {
  bool any = false;
  Line& line = lines_[peer];
  for (const auto& item : message.items) {
    if (item.type != p2p::InventoryType::Tx && item.type != p2p::InventoryType::WitnessTx) continue;
    any = true;
    const auto txid = util::retag<chain::Txid>(item.hash);
    if (const auto known = seen_.find(txid); known != seen_.end()) {
      known->second.add(peer);
      continue;
    }
    if (line.queue.size() >= most_queued_) continue;
    if (seen_.size() >= most_remembered_) seen_.clear();
    seen_[txid].add(peer);
    line.queue.push_back(txid);
  }
  if (any && asked_.contains(peer)) answered_.insert(peer);
  request_more(now, out);
  settle();
}

void TxRelay::request_more(util::Now now, Outbox& out) {
  if (holding_) return;
  for (auto& [peer, line] : lines_) {
    p2p::GetData message;
    while (!line.queue.empty() && line.under_way < kMaxRequested) {
      const chain::Txid txid = line.queue.front();
      line.queue.pop_front();
      if (!requested_.try_emplace(txid, Request{peer, now.monotonic}).second) continue;
      by_time_.emplace(now.monotonic, txid);
      ++line.under_way;
      message.items.push_back({p2p::InventoryType::WitnessTx, util::retag<util::Hash256>(txid)});
    }
    if (!message.items.empty()) out.send(peer, std::move(message));
  }
}

PeerId TxRelay::end_request(const chain::Txid& txid) {
  const auto found = requested_.find(txid);
  const Request request = found->second;
  requested_.erase(found);
  by_time_.erase({request.at, txid});
  --lines_[request.peer].under_way;
  return request.peer;
}

bool TxRelay::is_overdue(PeerId peer, const chain::Txid& txid) const {
  return std::ranges::find(overdue_, std::pair(txid, peer)) != overdue_.end();
}

bool TxRelay::has_asked(PeerId peer, const chain::Txid& txid) const {
  const auto found = requested_.find(txid);
  return (found != requested_.end() && found->second.peer == peer) || is_overdue(peer, txid);
}

void TxRelay::on(PeerId peer, const p2p::NotFound& message, util::Now now, Outbox& out) {
  for (const auto& item : message.items) {
    const auto txid = util::retag<chain::Txid>(item.hash);
    const auto found = requested_.find(txid);
    if (found == requested_.end() || found->second.peer != peer) continue;
    end_request(txid);
    try_another(txid, peer);
  }
  request_more(now, out);
  settle();
}

WatchEffect TxRelay::on(PeerId peer, const chain::Transaction& tx, const chain::Txid& txid, util::Now now,
                        Outbox& out) {
  remember(tx, txid);
  if (!has_asked(peer, txid)) return {};
  std::erase(overdue_, std::pair(txid, peer));
  if (requested_.contains(txid)) end_request(txid);  // whoever else was asked need not be waited for
  // The wallet keeps what means nothing yet for a while: a child may come before its parent.
  WatchEffect changes = watcher_.on_unconfirmed(tx, now.wall);
  request_more(now, out);
  settle();
  return changes;
}

void TxRelay::remember(const chain::Transaction& tx, const chain::Txid& txid) {
  if (find_recent(txid) != nullptr) return;
  const std::size_t bytes = tx.serialized_size();
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

bool TxRelay::fetches() const {
  return !requested_.empty() ||
         std::ranges::any_of(lines_, [](const auto& item) { return !item.second.queue.empty(); });
}

void TxRelay::settle() {
  const bool all = !asked_.empty() && answered_.size() == asked_.size();
  if (mempool_ == MempoolState::Asked && all && !fetches()) mempool_ = MempoolState::Answered;
}

void TxRelay::on_peer_lost(PeerId peer, util::Now now, Outbox& out) {
  std::vector<chain::Txid> owed;
  for (const auto& [txid, request] : requested_) {
    if (request.peer == peer) owed.push_back(txid);
  }
  for (const auto& txid : owed) end_request(txid);
  const auto& queue = lines_[peer].queue;
  owed.insert(owed.end(), queue.begin(), queue.end());
  lines_.erase(peer);
  for (const auto& txid : owed) try_another(txid, peer);
  // It has told of the rest all the same, but cannot be asked.
  for (auto& [txid, tellers] : seen_) std::ranges::replace(tellers.peers, peer, kGone);
  std::erase_if(overdue_, [peer](const auto& item) { return item.second == peer; });
  asked_.erase(peer);
  answered_.erase(peer);
  request_more(now, out);
  settle();
}

// Each by its own time: whoever delivers other things cannot hold up what it keeps back.
void TxRelay::give_up_overdue(util::Now now) {
  while (!by_time_.empty() && now.monotonic >= by_time_.begin()->first + kFetchTimeout) {
    const chain::Txid txid = by_time_.begin()->second;
    const PeerId peer = end_request(txid);
    if (overdue_.size() >= kMaxOverdue) overdue_.pop_front();
    overdue_.emplace_back(txid, peer);
    try_another(txid, peer);
  }
}

void TxRelay::tick(util::Now now, Outbox& out) {
  give_up_overdue(now);
  request_more(now, out);
  settle();
  if (mempool_ != MempoolState::Asked || holding_ || now.monotonic < time_limit()) return;
  if (now.monotonic < time_limit() + kLateTick || std::exchange(put_off_, true)) {
    mempool_ = MempoolState::TimedOut;
  } else {
    deadline_ = now.monotonic + kLateTick;  // we stood still, and the answer may lie there unread
  }
}

util::TimePoint TxRelay::time_limit() const { return fetches() ? deadline_ + most_overrun_ : deadline_; }

std::optional<util::TimePoint> TxRelay::deadline() const {
  std::optional<util::TimePoint> next;
  if (mempool_ == MempoolState::Asked && !holding_) next = time_limit();
  if (!by_time_.empty()) {
    const auto fetch = by_time_.begin()->first + kFetchTimeout;
    if (!next || fetch < *next) next = fetch;
  }
  return next;
}

}  // namespace spv::sync
