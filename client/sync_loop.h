// SyncLoop: what a sync runs on: a loop and a thread of the library's, or the caller's loop. Belongs to whoever starts
// or stops the sync, one at a time.
#pragma once

#include <functional>
#include <memory>
#include <thread>

#include "net/loop.h"

namespace spv::client {

class SyncLoop {
 public:
  /// On the caller's loop; null: on one of ours, whose thread run() begins.
  void open(boost::asio::io_context* callers);
  [[nodiscard]] bool is_open() const { return io_ != nullptr; }
  [[nodiscard]] bool is_ours() const { return own_ != nullptr; }
  /// It is open.
  [[nodiscard]] boost::asio::io_context& io() const { return *io_; }
  /// What the last open() was given.
  [[nodiscard]] boost::asio::io_context* last() const { return last_; }
  /// On a thread of its own; may throw. The loop is ours.
  void run(std::function<void(net::Loop&)> body);
  /// Does this on the thread, last of all, and waits for its end. The loop is ours.
  void end_thread(const std::function<void()>& last);
  /// Nothing uses it any more.
  void close();

 private:
  std::unique_ptr<net::Loop> own_;
  std::thread thread_;
  boost::asio::io_context* io_ = nullptr;
  boost::asio::io_context* last_ = nullptr;
};

}  // namespace spv::client
