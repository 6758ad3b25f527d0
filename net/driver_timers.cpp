#include "net/driver_timers.h"

#include <algorithm>
#include <utility>

namespace spv::net {
namespace asio = boost::asio;
namespace {

constexpr util::Duration kHeartbeat = std::chrono::milliseconds(250);

void wait(asio::steady_timer& timer, util::Duration time, DriverTimers::Handler handler) {
  timer.expires_after(time);
  timer.async_wait([handler = std::move(handler)](const boost::system::error_code& error) {
    if (!error) handler();
  });
}

}  // namespace

void DriverTimers::wake_at(util::TimePoint deadline, util::TimePoint now, Handler handler) {
  wakes_at_ = deadline;
  wait(wake_, std::max(deadline - now, util::Duration::zero()), [this, handler = std::move(handler)] {
    wakes_at_.reset();
    handler();
  });
}

void DriverTimers::beat(Handler handler) { wait(beat_, kHeartbeat, std::move(handler)); }
void DriverTimers::limit(util::Duration time, Handler handler) { wait(limit_, time, std::move(handler)); }

void DriverTimers::cancel() {
  wake_.cancel();
  beat_.cancel();
  limit_.cancel();
}

}  // namespace spv::net
