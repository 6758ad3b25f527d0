// DriverTimers: what a driver waits for besides its sockets: the engine's next deadline, its own heartbeat, and the end
// of the time that it may run.
// Included by net/ alone: it carries Asio.
#pragma once

#include <functional>
#include <optional>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "util/time.h"

namespace spv::net {

/// Outlives its handlers: each of them holds what owns it, or the loop goes with its owner.
class DriverTimers {
 public:
  using Handler = std::function<void()>;

  explicit DriverTimers(boost::asio::io_context& io) : wake_(io), beat_(io), limit_(io) {}

  /// True if the last handler of wake_at() will be called by then: it should look again, and set the next deadline.
  [[nodiscard]] bool wakes_by(util::TimePoint deadline) const { return wakes_at_ && *wakes_at_ <= deadline; }
  /// Calls the handler at the deadline, and none that was set before.
  void wake_at(util::TimePoint deadline, util::TimePoint now, Handler handler);
  /// Calls the handler once, a quarter of a second from now.
  void beat(Handler handler);
  /// Calls the handler once the time is up.
  void limit(util::Duration time, Handler handler);
  /// Calls no handler any more.
  void cancel();

 private:
  boost::asio::steady_timer wake_;
  boost::asio::steady_timer beat_;
  boost::asio::steady_timer limit_;
  std::optional<util::TimePoint> wakes_at_;  // what wake_ is set for
};

}  // namespace spv::net
