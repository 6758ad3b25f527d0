#include "client/sync_loop.h"

#include <utility>

namespace spv::client {

void SyncLoop::open(boost::asio::io_context* callers) {
  if (callers == nullptr) own_ = std::make_unique<net::Loop>();
  io_ = callers == nullptr ? &own_->io() : callers;
  last_ = callers;
}

void SyncLoop::run(std::function<void(net::Loop&)> body) {
  thread_ = std::thread([body = std::move(body), loop = own_.get()] { body(*loop); });
}

void SyncLoop::end_thread(const std::function<void()>& last) {
  net::post(*io_, [last, loop = own_.get()] {
    last();
    loop->stop();
  });
  thread_.join();
}

void SyncLoop::close() {
  io_ = nullptr;
  own_.reset();
}

}  // namespace spv::client
