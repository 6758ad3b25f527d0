#include "serve/http/stream_connection.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>

namespace spv::serve {
namespace asio = boost::asio;
namespace {

constexpr std::size_t kBatchBytes = 65'536;
constexpr std::size_t kMostScrap = 65'536;

}  // namespace

void StreamConnection::start(std::string head) {
  core_->clients.add(shared_from_this());
  queue_->on_signal([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->pump();
  });
  batch_.push_back(std::make_shared<const std::string>(std::move(head)));
  watch();
  send();
}

void StreamConnection::pump() {
  if (said_goodbye_ || !socket_.is_open()) return;
  if (is_sending_) {
    // One that is cut off gets a last deadline for all that is still to come.
    if (!is_cut_off_ && queue_->is_cut_off()) {
      is_cut_off_ = true;
      deadline_ = monotonic_now() + core_->limits().last_words_time;
    }
    return;
  }
  const auto phase = queue_->take(kBatchBytes, batch_);
  if (!batch_.empty()) return send();
  if (phase != StreamQueue::Phase::Open) return say_goodbye();
  deadline_ = util::TimePoint::max();
  queue_->note_drained();
}

void StreamConnection::send() {
  is_sending_ = true;
  if (!is_cut_off_) deadline_ = monotonic_now() + core_->limits().write_time;
  std::vector<asio::const_buffer> buffers;
  buffers.reserve(batch_.size());
  for (const auto& chunk : batch_) buffers.emplace_back(chunk->data(), chunk->size());
  asio::async_write(socket_, buffers, [self = shared_from_this()](auto error, std::size_t) {
    self->is_sending_ = false;
    self->batch_.clear();
    if (error) return self->end();
    self->pump();
  });
}

// Nothing is expected from the client but its end.
void StreamConnection::watch() {
  socket_.async_read_some(asio::buffer(scrap_), [self = shared_from_this()](auto error, std::size_t size) {
    self->scrapped_ += size;
    if (error || self->scrapped_ > kMostScrap) return self->end();
    self->watch();
  });
}

// The client closes when it has read everything. A close at once could take from it what is still on the way.
void StreamConnection::say_goodbye() {
  said_goodbye_ = true;
  deadline_ = monotonic_now() + core_->limits().linger_time;
  boost::system::error_code ignored;
  static_cast<void>(socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored));
}

void StreamConnection::check_deadline(util::TimePoint now) {
  if (now >= deadline_) end();
}

void StreamConnection::end() {
  if (!socket_.is_open()) return;
  const auto self = shared_from_this();
  boost::system::error_code ignored;
  static_cast<void>(socket_.close(ignored));
  core_->clients.remove(this);
  queue_->finish();
}

}  // namespace spv::serve
