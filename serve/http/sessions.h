// Sessions: those who have shown the token once and keep a cookie instead. Only hashes of the cookies are kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "util/hash256.h"
#include "util/time.h"

namespace spv::serve {

/// Fills with what nobody can guess; throws if there is none.
using Entropy = std::function<void(std::span<std::uint8_t>)>;

class Sessions {
 public:
  static constexpr std::size_t kMost = 64;  // a new one takes the place of the one that was used longest ago
  static constexpr util::Duration kIdleTime = std::chrono::hours(12);

  explicit Sessions(Entropy entropy) : entropy_(std::move(entropy)) {}

  /// A new secret: 32 random bytes in hex.
  std::string open(util::TimePoint now);
  /// Whether this is the secret of a session; it has been used now, then.
  bool use(std::string_view secret, util::TimePoint now);
  void close(std::string_view secret);
  [[nodiscard]] std::size_t size() const { return last_use_.size(); }

 private:
  void drop_old(util::TimePoint now);

  Entropy entropy_;
  std::map<util::Hash256, util::TimePoint> last_use_;
};

}  // namespace spv::serve
