#include "serve/http/sessions.h"

#include <algorithm>
#include <array>

#include "util/hash.h"
#include "util/hex.h"

namespace spv::serve {

std::string Sessions::open(util::TimePoint now) {
  drop_old(now);
  std::array<std::uint8_t, 32> random{};
  entropy_(random);
  std::string secret = util::to_hex(random);
  last_use_[util::sha256(util::as_bytes(secret))] = now;
  return secret;
}

bool Sessions::use(std::string_view secret, util::TimePoint now) {
  const auto found = last_use_.find(util::sha256(util::as_bytes(secret)));
  if (found == last_use_.end()) return false;
  if (now - found->second > kIdleTime) {
    last_use_.erase(found);
    return false;
  }
  found->second = now;
  return true;
}

void Sessions::close(std::string_view secret) { last_use_.erase(util::sha256(util::as_bytes(secret))); }

void Sessions::drop_old(util::TimePoint now) {
  std::erase_if(last_use_, [now](const auto& entry) { return now - entry.second > kIdleTime; });
  if (last_use_.size() < kMost) return;
  last_use_.erase(std::ranges::min_element(last_use_, {}, [](const auto& entry) { return entry.second; }));
}

}  // namespace spv::serve
