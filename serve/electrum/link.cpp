#include "serve/electrum/link.h"

#include <utility>

namespace spv::serve::electrum {
namespace {

/// Steps of one client before others have their turn.
constexpr int kStepsAtOnce = 200;

}  // namespace

Link::Link(LinkOwner& owner, std::string address)
    : owner_(owner), address_(std::move(address)), session_(owner.world()), since_(owner.now()), heard_(since_) {}

void Link::on_ready() {
  is_ready_ = true;
  heard_ = owner_.now();
  pump();
}

// The session may call for more than one round; an outcome that is at hand comes back in the middle of one.
void Link::pump() {
  if (!is_ready_ || is_over_ || std::exchange(is_pumping_, true)) return;
  int steps = 0;
  while (steps < kStepsAtOnce && unsent() < owner_.limits().high_water && session_.step(owner_.now())) {
    ++steps;
    take_from_session();
  }
  take_from_session();
  begin_errands();
  is_pumping_ = false;
  if (steps > 0) owner_.on_step(*this);
  if (is_over_) return;
  if (unsent() > owner_.limits().most_waiting) return cut();
  if (steps == kStepsAtOnce) post_pump();
  write_or_end();
}

void Link::take_from_session() {
  waiting_ += session_.take_output();
  for (auto& order : session_.take_orders()) orders_.push_back(std::move(order));
}

void Link::begin_errands() {
  while (!orders_.empty() && unsent() < owner_.limits().high_water) {
    Order order = std::move(orders_.front());
    orders_.pop_front();
    owner_.carry_out(shared_from_this(), std::move(order));
    take_from_session();
  }
}

void Link::write_or_end() {
  if (going_out_.empty() && !waiting_.empty()) {
    going_out_ = std::exchange(waiting_, {});
    wrote_ = owner_.now();
    begin_write();
  }
  if (session_.is_closing()) {
    if (unsent() == 0) cut();
    return;
  }
  if (is_reading_ || session_.has_work() || unsent() >= owner_.limits().high_water) return;
  is_reading_ = true;
  begin_read();
}

void Link::on_read(bool failed, std::size_t count) {
  is_reading_ = false;
  if (is_over_) return;
  if (failed) return cut();
  heard_ = owner_.now();
  session_.feed({buffer_.data(), count});
  pump();
}

void Link::on_written(bool failed) {
  if (is_over_) return;
  if (failed) return cut();
  going_out_ = {};
  pump();
}

void Link::finish(Ticket ticket, const Outcome& outcome) {
  if (is_over_) return;
  session_.finish(ticket, outcome);
  pump();
}

void Link::check(util::TimePoint now) {
  const auto& limits = owner_.limits();
  if (!is_ready_ && now - since_ >= limits.handshake_time) return cut();
  if (!going_out_.empty() && now - wrote_ >= limits.write_time) return cut();
  if (now - heard_ >= limits.idle_time) return cut();
  if (session_.waits()) session_.look_again(now);
  pump();
}

void Link::cut() {
  if (std::exchange(is_over_, true)) return;
  const auto self = shared_from_this();
  shut();
  owner_.on_gone(*this);
}

}  // namespace spv::serve::electrum
