#include "serve/live/sweep.h"

#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

namespace spv::serve {

struct Sweep::State {
  boost::asio::io_context& io;
  Visit visit;  // empty: the sweep is gone
  ClientId next = 1;
  bool running = false;
  bool again = false;
};

Sweep::Sweep(boost::asio::io_context& io, Visit visit)
    : state_(std::make_shared<State>(State{.io = io, .visit = std::move(visit)})) {}

Sweep::~Sweep() { state_->visit = nullptr; }

void Sweep::start() {
  state_->again = state_->running;
  if (std::exchange(state_->running, true)) return;
  state_->next = 1;
  post_step(state_);
}

void Sweep::post_step(const std::shared_ptr<State>& state) {
  boost::asio::post(state->io, [state] { step(state); });
}

void Sweep::step(const std::shared_ptr<State>& state) {
  for (std::size_t i = 0; i < kAtOnce && state->visit; ++i) {
    const ClientId visited = state->visit(state->next);
    state->next = visited + 1;
    if (visited != 0) continue;
    if (!std::exchange(state->again, false)) {
      state->running = false;
      return;
    }
  }
  if (state->visit) post_step(state);
}

}  // namespace spv::serve
