#include "util/rng.h"

#include "util/codec.h"
#include "util/ensure.h"
#include "util/hash.h"

namespace spv::util {

Rng::Rng(std::uint64_t seed) : seed_{} { std::memcpy(seed_.data(), &seed, sizeof seed); }

std::uint64_t Rng::next() {
  if (used_ + sizeof(std::uint64_t) > Hash256::kSize) {
    block_ = sha256(Writer().bytes(seed_).integer(counter_++).data());
    used_ = 0;
  }
  std::uint64_t value = 0;
  std::memcpy(&value, block_.bytes.data() + used_, sizeof value);
  used_ += sizeof value;
  return value;
}

std::uint64_t Rng::below(std::uint64_t bound) {
  ensure(bound > 0, "Rng::below needs a bound above zero");
  // Values of the last, incomplete stretch would favour small results: draw again.
  const std::uint64_t limit = UINT64_MAX - UINT64_MAX % bound;
  std::uint64_t value = next();
  while (value >= limit) value = next();
  return value % bound;
}

Bytes Rng::bytes(std::size_t size) {
  Bytes out(size);
  for (auto& byte : out) byte = static_cast<std::uint8_t>(next() & 0xFFU);
  return out;
}

}  // namespace spv::util
