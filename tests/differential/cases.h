// How many random cases a differential test takes: a share in every run; all, which is 10^6, with SPV_LONG_TESTS=1;
// or as many as SPV_DIFFERENTIAL_CASES says. SPV_DIFFERENTIAL_SEED moves the start.
#pragma once

#include <cstdint>
#include <cstdlib>

#include "tests/support/long_tests.h"
#include "util/rng.h"

namespace spv::test {

inline std::uint64_t environment_number(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

inline std::uint64_t differential_cases(std::uint64_t usual, std::uint64_t thorough = 1'000'000) {
  return environment_number("SPV_DIFFERENTIAL_CASES", repeats(usual, thorough));
}

/// The generator of one case: a failure that names its case can be repeated alone.
inline util::Rng case_rng(std::uint64_t number) {
  return util::Rng(environment_number("SPV_DIFFERENTIAL_SEED", 1) * 1'000'000'007 + number);
}

}  // namespace spv::test
