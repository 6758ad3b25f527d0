// Mailbox: the way from any thread to the server's thread, for what may outlive the server, or the part of it that is
// meant. It carries Asio.
#pragma once

#include <functional>
#include <mutex>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

namespace spv::serve {

class Mailbox {
 public:
  explicit Mailbox(boost::asio::io_context& io) : io_(&io) {}

  /// Runs it at once on the server's thread, later from another one. False: the server is gone, and it never runs.
  template <typename Task>
  bool run(Task task) {
    {
      const std::scoped_lock lock(mutex_);
      if (io_ == nullptr) return false;
      if (!io_->get_executor().running_in_this_thread()) {
        boost::asio::post(*io_, std::move(task));
        return true;
      }
    }
    task();
    return true;
  }

  /// Runs it on the server's thread, but not now.
  template <typename Task>
  bool post(Task task) {
    const std::scoped_lock lock(mutex_);
    if (io_ == nullptr) return false;
    boost::asio::post(*io_, std::move(task));
    return true;
  }

  /// Whoever reads it is gone.
  void close() {
    const std::scoped_lock lock(mutex_);
    io_ = nullptr;
  }

 private:
  std::mutex mutex_;
  boost::asio::io_context* io_;
};

}  // namespace spv::serve
