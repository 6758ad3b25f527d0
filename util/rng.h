// Rng: random numbers as a value, seeded from outside: same seed, same run. SHA-256 in counter mode, so
// with a seed from the system's entropy it serves nonces and tweaks too. Keys never come from here.
#pragma once

#include <array>
#include <cstdint>

#include "util/bytes.h"
#include "util/hash256.h"

namespace spv::util {

class Rng {
 public:
  using Seed = std::array<std::uint8_t, 32>;
  explicit Rng(const Seed& seed) : seed_(seed) {}
  /// For tests and simulations.
  explicit Rng(std::uint64_t seed);

  std::uint64_t next();
  /// Uniform in [0, bound); bound > 0.
  std::uint64_t below(std::uint64_t bound);
  Bytes bytes(std::size_t size);

 private:
  Seed seed_;
  std::uint64_t counter_ = 0;
  Hash256 block_{};
  std::size_t used_ = Hash256::kSize;
};

}  // namespace spv::util
