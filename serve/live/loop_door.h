// LoopDoor: how callbacks that may outlive their owner come back to its loop, from any thread.
#pragma once

#include <functional>
#include <mutex>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

namespace spv::serve {

class LoopDoor {
 public:
  explicit LoopDoor(boost::asio::io_context& io) : io_(&io) {}

  /// Calls it on the loop, later; not at all once the door is closed.
  void post(std::function<void()> what) {
    const std::lock_guard lock(mutex_);
    if (io_ != nullptr) boost::asio::post(*io_, std::move(what));
  }
  /// The loop may go away from now on.
  void close() {
    const std::lock_guard lock(mutex_);
    io_ = nullptr;
  }

 private:
  std::mutex mutex_;
  boost::asio::io_context* io_;
};

}  // namespace spv::serve
