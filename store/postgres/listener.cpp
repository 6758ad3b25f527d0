#include "store/postgres/listener.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <utility>

namespace spv::store::postgres {

Listener::Listener(Connection connection, const std::vector<std::string>& channels)
    : connection_(std::move(connection)), wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!wake_.valid()) throw StoreError::from_errno(errno, "make", "an event descriptor");
  for (const auto& channel : channels) connection_.listen(channel);
}

bool Listener::take_wake() {
  std::uint64_t count = 0;
  return ::read(wake_.get(), &count, sizeof count) == sizeof count;
}

void Listener::wake() noexcept {
  const std::uint64_t one = 1;
  // It fails only when it is set already, for more times than anybody counts.
  [[maybe_unused]] const auto written = ::write(wake_.get(), &one, sizeof one);
}

Listener::Heard Listener::wait(std::chrono::milliseconds timeout) {
  const auto until = std::chrono::steady_clock::now() + timeout;
  for (;;) {
    Heard heard{.notifications = connection_.notifications(), .woken = take_wake()};
    const auto now = std::chrono::steady_clock::now();
    if (!heard.notifications.empty() || heard.woken || now >= until) return heard;
    std::array<pollfd, 2> entries{{{connection_.socket(), POLLIN, 0}, {wake_.get(), POLLIN, 0}}};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - now).count();
    ::poll(entries.data(), entries.size(), static_cast<int>(std::min<std::int64_t>(left, 3'600'000)));
  }
}

}  // namespace spv::store::postgres
