#include "sync/scan/scan_board.h"

#include <algorithm>
#include <utility>

namespace spv::sync {

void ScanBoard::restart(chain::Height first) {
  first_ = first;
  entries_.clear();
  unasked_.clear();
  matched_ = 0;
  held_bytes_ = 0;
  ascending_from_ = first;
}

std::size_t ScanBoard::unasked(chain::Height last) const {
  const bool all = unasked_.empty() || *unasked_.rbegin() <= last;  // nearly always, and asked for every message
  const auto again =
      all ? unasked_.size() : static_cast<std::size_t>(std::distance(unasked_.begin(), unasked_.upper_bound(last)));
  return again + static_cast<std::size_t>(std::max(last - end() + 1, 0));
}

chain::Height ScanBoard::limit(chain::Height last) const {
  return held_bytes_ > kMaxAheadBytes ? first_ : std::min(last, first_ + kMaxAhead);
}

std::vector<chain::Height> ScanBoard::pick(PeerId peer, std::size_t count, chain::Height last, util::Now now) const {
  std::vector<chain::Height> blocks;
  for (auto it = unasked_.begin(); it != unasked_.end() && *it <= last && blocks.size() < count; ++it) {
    if (!at(*it).matched) blocks.push_back(*it);
  }
  if (blocks.empty()) pick_overdue(peer, count, last, now, false, blocks);
  const chain::Height highest = limit(last);
  for (chain::Height height = end(); height <= highest && blocks.size() < count; ++height) blocks.push_back(height);
  return blocks;
}

std::vector<chain::Height> ScanBoard::pick_matched(PeerId peer, std::size_t count, chain::Height last,
                                                   util::Now now) const {
  std::vector<chain::Height> blocks;
  if (matched_ == 0) return blocks;    // nearly always, and asked for every message
  last = std::min(last, limit(last));  // filters that match everywhere must not fill the memory
  for (auto it = unasked_.begin(); it != unasked_.end() && *it <= last && blocks.size() < count; ++it) {
    if (at(*it).matched) blocks.push_back(*it);
  }
  if (blocks.empty()) pick_overdue(peer, count, last, now, true, blocks);
  return blocks;
}

std::vector<chain::Height> ScanBoard::pick_range(PeerId peer, std::size_t count, chain::Height last,
                                                 util::Now now) const {
  auto blocks = pick(peer, count, last, now);
  std::size_t length = std::min<std::size_t>(blocks.size(), 1);
  while (length < blocks.size() && blocks[length] == blocks[length - 1] + 1) ++length;
  blocks.resize(length);
  return blocks;
}

void ScanBoard::pick_overdue(PeerId peer, std::size_t count, chain::Height last, util::Now now, bool matched,
                             std::vector<chain::Height>& out) const {
  for (chain::Height height = first_; height < end() && height <= last && out.size() < count; ++height) {
    const Entry& entry = at(height);
    if (entry.answer || entry.matched != matched) continue;
    const auto is_theirs = [peer](const Ask& ask) { return ask.request.peer == peer; };
    const auto overdue = entry.overdue_at();
    if (overdue && now.monotonic >= *overdue && std::ranges::none_of(entry.asks, is_theirs)) {
      out.push_back(height);
    } else if (entry.asks.size() < 2) {
      return;  // what was asked for later is not overdue either; behind what was asked for twice there may be more
    }
  }
}

void ScanBoard::asked(const std::vector<chain::Height>& blocks, RequestId request, util::TimePoint due) {
  if (blocks.empty()) return;
  const bool on_top = request.kind == BlockKind::Filtered && blocks.front() >= end();
  if (!on_top || request.epoch < last_epoch_) ascending_from_ = std::max(ascending_from_, blocks.back() + 1);
  last_epoch_ = request.epoch;
  for (const chain::Height height : blocks) {
    if (height >= end()) entries_.resize(static_cast<std::size_t>(height - first_) + 1);
    at(height).asks.push_back({request, due});
    unasked_.erase(height);
    ++request.number;
  }
}

void ScanBoard::answered(ScannedBlock block) {
  const chain::Height height = block.block.height;
  if (height < first_ || height >= end()) return;
  Entry& entry = at(height);
  const auto is_this = [&](const Ask& ask) { return ask.request == block.request; };
  if (entry.answer || std::none_of(entry.asks.begin(), entry.asks.end(), is_this)) return;
  if (block.needs_whole) {
    entry.asks.clear();
    return want_whole(height);
  }
  held_bytes_ += block.bytes;
  entry.answer = std::move(block);
}

void ScanBoard::doubt(chain::Height height) {
  if (height < first_ || height >= end()) return;
  Entry& entry = at(height);
  const auto by_filter = [](const Ask& ask) { return ask.request.kind == BlockKind::Compact; };
  if (entry.answer && entry.answer->request.kind == BlockKind::Compact) entry.answer.reset();  // it holds no bytes
  std::erase_if(entry.asks, by_filter);
  if (entry.answer || !entry.asks.empty()) return;
  want_whole(height);
}

void ScanBoard::want_whole(chain::Height height) {
  if (!std::exchange(at(height).matched, true)) ++matched_;
  unasked_.insert(height);
}

void ScanBoard::forget_matches() {
  if (std::exchange(matched_, 0) == 0) return;
  for (Entry& entry : entries_) entry.matched = false;
}

std::optional<ScannedBlock> ScanBoard::take() {
  if (entries_.empty() || !entries_.front().answer) return std::nullopt;
  ScannedBlock block = std::move(*entries_.front().answer);
  held_bytes_ -= block.bytes;
  matched_ -= entries_.front().matched ? 1U : 0U;
  entries_.pop_front();
  ++first_;
  return block;
}

// All that is on the board was asked for after `found` under the same filter.
bool ScanBoard::follows(const ScannedBlock& found) const {
  if (found.block.height < ascending_from_ || found.request.kind != BlockKind::Filtered) return false;
  if (entries_.empty()) return true;
  const auto& asks = entries_.back().asks;
  return !asks.empty() && asks.back().request.epoch == found.request.epoch;
}

std::size_t ScanBoard::revoke(const ScannedBlock& found, std::optional<FilterEpoch> held_from, const Missed& missed) {
  if (follows(found)) return 0;
  std::size_t revoked = 0;
  const auto knows = [&](const RequestId& request) {
    if (request.kind != BlockKind::Filtered || !held_from || request.epoch >= *held_from) return true;
    return request.epoch == found.request.epoch && request.number > found.request.number;
  };
  const auto stands = [&](const ScannedBlock& answer) {
    return answer.request.kind == BlockKind::Whole ? !missed(answer) : knows(answer.request);
  };
  for (chain::Height height = first_; height < end(); ++height) {
    Entry& entry = at(height);
    std::erase_if(entry.asks, [&](const Ask& ask) { return !knows(ask.request); });
    if (entry.answer && !stands(*entry.answer)) {
      const RequestId answered = entry.answer->request;
      std::erase_if(entry.asks, [&](const Ask& ask) { return ask.request == answered; });
      held_bytes_ -= entry.answer->bytes;
      entry.answer.reset();
    }
    if (entry.answer || !entry.asks.empty()) continue;
    revoked += unasked_.insert(height).second ? 1U : 0U;
  }
  return revoked;
}

bool ScanBoard::has_older_than(FilterEpoch epoch) const {
  if (entries_.empty()) return false;
  const auto& lowest = entries_.front().asks;
  if (first_ >= ascending_from_ && !lowest.empty()) return lowest.front().request.epoch < epoch;
  const auto is_older = [epoch](const RequestId& request) {
    return request.kind == BlockKind::Filtered && request.epoch < epoch;
  };
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    if (entry.answer) return is_older(entry.answer->request);
    return std::any_of(entry.asks.begin(), entry.asks.end(), [&](const Ask& ask) { return is_older(ask.request); });
  });
}

void ScanBoard::lost(PeerId peer) {
  for (chain::Height height = first_; height < end(); ++height) {
    Entry& entry = at(height);
    if (entry.answer) continue;
    std::erase_if(entry.asks, [&](const Ask& ask) { return ask.request.peer == peer; });
    if (entry.asks.empty()) unasked_.insert(height);
  }
}

std::optional<util::TimePoint> ScanBoard::overdue_at() const {
  return entries_.empty() ? std::nullopt : entries_.front().overdue_at();
}

std::optional<util::TimePoint> ScanBoard::Entry::overdue_at() const {
  if (asks.empty() || asks.size() >= kMaxAsks) return std::nullopt;
  return std::ranges::max_element(asks, {}, &Ask::due)->due;
}

}  // namespace spv::sync
