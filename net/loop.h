// Loop: an event loop for drivers, and a way to do something on one. No Asio in this header.
#pragma once

#include <functional>
#include <memory>

#include "util/time.h"

namespace boost::asio {
class io_context;  // NOLINT(readability-identifier-naming): its own name
}

namespace spv::net {

class Loop {
 public:
  Loop();
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  [[nodiscard]] boost::asio::io_context& io();
  /// Runs until stop(), on the caller's thread. What comes is let come together for as long as `gather_time` says.
  void run(const std::function<util::Duration()>& gather_time);
  /// From any thread.
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Calls it on the loop, later.
void post(boost::asio::io_context& io, std::function<void()> what);

}  // namespace spv::net
