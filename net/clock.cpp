#include "net/clock.h"

#include <cerrno>
#include <chrono>
#include <sys/random.h>
#include <system_error>

namespace spv::net {

util::Now read_clock() {
  const auto steady = std::chrono::steady_clock::now().time_since_epoch();
  const auto wall = std::chrono::system_clock::now().time_since_epoch();
  return {.monotonic = util::TimePoint(std::chrono::duration_cast<util::Duration>(steady)),
          .wall = std::chrono::duration_cast<std::chrono::seconds>(wall).count()};
}

void fill_with_entropy(std::span<std::uint8_t> out) {
  std::size_t filled = 0;
  while (filled < out.size()) {
    const ssize_t got = getrandom(out.data() + filled, out.size() - filled, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw std::system_error(errno, std::generic_category(), "the system gives no entropy (getrandom)");
    filled += static_cast<std::size_t>(got);
  }
}

util::Rng::Seed system_entropy() {
  util::Rng::Seed seed{};
  fill_with_entropy(seed);
  return seed;
}

}  // namespace spv::net
