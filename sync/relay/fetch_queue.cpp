#include "sync/relay/fetch_queue.h"

#include <algorithm>
#include <vector>

namespace spv::sync {

bool FetchQueue::on(PeerId peer, const p2p::Inv& message) {
  bool any = false;
  Line& line = lines_[peer];
  for (const auto& item : message.items) {
    if (item.type != p2p::InventoryType::Tx && item.type != p2p::InventoryType::WitnessTx) continue;
    any = true;
    const auto txid = util::retag<chain::Txid>(item.hash);
    if (announcers_.add_to_known(txid, peer) || line.queue.size() >= limits_.queued) continue;
    announcers_.add_first(txid, peer);
    line.queue.push_back(txid);
  }
  return any;
}

void FetchQueue::request(util::Now now, Outbox& out) {
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

PeerId FetchQueue::end_request(const chain::Txid& txid) {
  const auto found = requested_.find(txid);
  const Request request = found->second;
  requested_.erase(found);
  by_time_.erase({request.at, txid});
  --lines_[request.peer].under_way;
  return request.peer;
}

void FetchQueue::try_another(const chain::Txid& txid, PeerId failed) {
  if (const auto other = announcers_.next_after(txid, failed)) lines_[*other].queue.push_back(txid);
}

void FetchQueue::on(PeerId peer, const p2p::NotFound& message) {
  for (const auto& item : message.items) {
    const auto txid = util::retag<chain::Txid>(item.hash);
    const auto found = requested_.find(txid);
    if (found == requested_.end() || found->second.peer != peer) continue;
    end_request(txid);
    try_another(txid, peer);
  }
}

void FetchQueue::on_delivered(PeerId peer, const chain::Txid& txid) {
  std::erase(overdue_, std::pair(txid, peer));
  if (requested_.contains(txid)) end_request(txid);  // another peer that was asked meanwhile need not be waited for
}

void FetchQueue::on_peer_lost(PeerId peer) {
  std::vector<chain::Txid> owed;
  for (const auto& [txid, request] : requested_) {
    if (request.peer == peer) owed.push_back(txid);
  }
  for (const auto& txid : owed) end_request(txid);
  const auto& queue = lines_[peer].queue;
  owed.insert(owed.end(), queue.begin(), queue.end());
  lines_.erase(peer);
  for (const auto& txid : owed) try_another(txid, peer);
  announcers_.on_peer_lost(peer);
  std::erase_if(overdue_, [peer](const auto& item) { return item.second == peer; });
}

void FetchQueue::give_up_overdue(util::Now now) {
  while (!by_time_.empty() && now.monotonic >= by_time_.begin()->first + kFetchTimeout) {
    const chain::Txid txid = by_time_.begin()->second;
    const PeerId peer = end_request(txid);
    if (overdue_.size() >= kMaxOverdue) overdue_.pop_front();
    overdue_.emplace_back(txid, peer);
    try_another(txid, peer);
  }
}

void FetchQueue::forget_delivered() {
  std::vector<chain::Txid> due;
  due.reserve(requested_.size());
  for (const auto& [txid, request] : requested_) due.push_back(txid);
  for (const auto& [peer, line] : lines_) due.insert(due.end(), line.queue.begin(), line.queue.end());
  announcers_.keep_only(due);
}

bool FetchQueue::is_overdue(PeerId peer, const chain::Txid& txid) const {
  return std::ranges::find(overdue_, std::pair(txid, peer)) != overdue_.end();
}

bool FetchQueue::has_asked(PeerId peer, const chain::Txid& txid) const {
  const auto found = requested_.find(txid);
  return (found != requested_.end() && found->second.peer == peer) || is_overdue(peer, txid);
}

bool FetchQueue::empty() const {
  return requested_.empty() && std::ranges::all_of(lines_, [](const auto& item) { return item.second.queue.empty(); });
}

std::optional<util::TimePoint> FetchQueue::deadline() const {
  if (by_time_.empty()) return std::nullopt;
  return by_time_.begin()->first + kFetchTimeout;
}

}  // namespace spv::sync
