#include "serve/http/stream_queue.h"

#include <utility>

namespace spv::serve {

void StreamQueue::push(Chunk chunk, std::uint64_t position) {
  if (!chunk || chunk->empty()) return;
  bytes_ += chunk->size();
  waiting_.push_back({std::move(chunk), position});
}

bool StreamQueue::write(Chunk chunk, std::uint64_t position) {
  std::unique_lock lock(mutex_);
  if (phase_ != Phase::Open) return false;
  if (chunk && bytes_ > 0 && bytes_ + chunk->size() > limit_) {
    phase_ = Phase::CutOff;
    lock.unlock();
    cut_off();
    return false;
  }
  push(std::move(chunk), position);
  signal(std::move(lock));
  return true;
}

// What is under way must be finished: a part of it may have been sent.
void StreamQueue::cut_off() {
  std::unique_lock lock(mutex_);
  waiting_.clear();
  bytes_ = bytes_under_way_;
  const auto last_words = callbacks_.overflow;
  const auto position = last_position_;
  lock.unlock();
  Chunk words = last_words ? last_words(position) : nullptr;
  lock.lock();
  push(std::move(words), position);
  signal(std::move(lock));
}

void StreamQueue::close(Chunk last) {
  std::unique_lock lock(mutex_);
  if (phase_ != Phase::Open) return;
  phase_ = Phase::Closing;
  push(std::move(last), last_position_);
  signal(std::move(lock));
}

// Many writes before the server gets to it are one message to it.
void StreamQueue::signal(std::unique_lock<std::mutex> lock) {
  if (std::exchange(is_signalled_, true) || !callbacks_.signal) return;
  const auto callback = callbacks_.signal;
  lock.unlock();
  mailbox_->post(callback);
}

void StreamQueue::on_overflow(std::function<Chunk(std::uint64_t)> last_words) {
  const std::scoped_lock lock(mutex_);
  callbacks_.overflow = std::move(last_words);
}

void StreamQueue::on_closed(std::function<void()> callback) {
  std::unique_lock lock(mutex_);
  if (phase_ != Phase::Closed) {
    callbacks_.closed = std::move(callback);
    return;
  }
  lock.unlock();
  callback();
}

std::size_t StreamQueue::waiting() const {
  const std::scoped_lock lock(mutex_);
  return bytes_;
}

void StreamQueue::on_drained(std::function<void()> callback) {
  const std::scoped_lock lock(mutex_);
  callbacks_.drained = std::move(callback);
}

void StreamQueue::on_signal(std::function<void()> callback) {
  const std::scoped_lock lock(mutex_);
  callbacks_.signal = std::move(callback);
}

StreamQueue::Phase StreamQueue::take(std::size_t bytes, std::vector<Chunk>& batch) {
  const std::scoped_lock lock(mutex_);
  is_signalled_ = false;
  bytes_ -= std::exchange(bytes_under_way_, 0);
  batch.clear();
  while (!waiting_.empty() && bytes_under_way_ < bytes) {
    last_position_ = waiting_.front().position;
    bytes_under_way_ += waiting_.front().chunk->size();
    batch.push_back(std::move(waiting_.front().chunk));
    waiting_.pop_front();
  }
  return phase_;
}

bool StreamQueue::is_cut_off() const {
  const std::scoped_lock lock(mutex_);
  return phase_ == Phase::CutOff;
}

void StreamQueue::note_drained() {
  std::unique_lock lock(mutex_);
  if (phase_ != Phase::Open) return;
  const auto callback = callbacks_.drained;
  lock.unlock();
  if (callback) callback();
}

void StreamQueue::finish() {
  std::unique_lock lock(mutex_);
  if (std::exchange(phase_, Phase::Closed) == Phase::Closed) return;
  waiting_.clear();
  bytes_ = 0;
  bytes_under_way_ = 0;
  const Callbacks callbacks = std::exchange(callbacks_, {});
  lock.unlock();
  --counts_->streams;
  if (callbacks.closed) callbacks.closed();
}

}  // namespace spv::serve
