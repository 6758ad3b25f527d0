#include "sync/scan/request_queue.h"

#include <algorithm>

namespace spv::sync {

RequestId RequestQueue::add(const std::vector<chain::BlockRef>& blocks, BlockKind kind, FilterEpoch epoch,
                            std::uint64_t fence, util::Now now) {
  if (requests_.empty()) last_progress_ = now.monotonic;
  pace_[place(kind)].on_request(requests_.empty(), now);
  const RequestId first{peer_, epoch, end(), kind};
  for (const auto& block : blocks) {
    const std::uint64_t number = end();
    ScannedBlock& result = requests_.emplace_back().result;
    result.request = {peer_, epoch, number, kind};
    result.block = block;
  }
  under_way_[place(kind)] += blocks.size();
  fences_.push_back({fence, end() - 1});
  return first;
}

void RequestQueue::forget() {
  for (auto& request : requests_) request.counts = false;
}

// The number of the first request behind the next pong.
std::uint64_t RequestQueue::next_fence() const {
  return fences_.empty() ? unanswered_ : std::max(fences_.front().last + 1, unanswered_);
}

std::optional<std::uint64_t> RequestQueue::find(const chain::BlockHash& hash, BlockKind kind) const {
  // Only what comes before the next pong: a repeated answer must not pass for that to a later request, made under
  // another filter.
  for (std::uint64_t number = unanswered_; number < next_fence(); ++number) {
    const ScannedBlock& result = requests_[static_cast<std::size_t>(number - first_)].result;
    if (result.request.kind == kind && result.block.hash == hash) return number;
  }
  return std::nullopt;
}

bool RequestQueue::is_next(const chain::BlockHash& hash, BlockKind kind) const {
  const auto number = find(hash, kind);
  return number && *number == unanswered_;
}

std::optional<DisconnectReason> RequestQueue::on_answer(std::uint64_t number, util::Now now) {
  const std::size_t kind = place(at(number).result.request.kind);
  on_progress(now);
  for (std::size_t each = 0; each < pace_.size(); ++each) {
    if (each == kind) {
      pace_[each].on_block(now);
    } else {
      pace_[each].on_pause();
    }
  }
  // The node answers in order: what lies before an answer was passed over in silence.
  for (; unanswered_ < number; ++unanswered_) {
    if (at(unanswered_).counts) return DisconnectReason::BlocksNotServed;
  }
  unanswered_ = number + 1;
  at(number).answered = true;
  return std::nullopt;
}

std::optional<std::uint64_t> RequestQueue::on_fence(std::uint64_t nonce, util::Now now) {
  const auto fence = std::ranges::find(fences_, nonce, &Fence::nonce);
  if (fence == fences_.end()) return std::nullopt;
  on_progress(now);
  const std::uint64_t last = fence->last;
  fences_.erase(fences_.begin(), fence + 1);
  unanswered_ = std::max(unanswered_, last + 1);
  return last;
}

PendingBlock RequestQueue::take() {
  PendingBlock front = std::move(requests_.front());
  requests_.pop_front();
  ++first_;
  held_bytes_ -= front.result.bytes;
  --under_way_[place(front.result.request.kind)];
  return front;
}

bool RequestQueue::is_late(util::Now now) const {
  return !requests_.empty() && now.monotonic > last_progress_ + pace(front_kind()).patience();
}

std::optional<util::TimePoint> RequestQueue::waits_since() const {
  if (requests_.empty() && fences_.empty()) return std::nullopt;
  return last_progress_;
}

}  // namespace spv::sync
