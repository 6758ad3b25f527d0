// How much a test does: a share in every run, all of it where SPV_LONG_TESTS=1 is set in the environment.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace spv::test {

/// `usual`, or `thorough` where SPV_LONG_TESTS=1 is set: the counts that the threats call for.
inline std::uint64_t repeats(std::uint64_t usual, std::uint64_t thorough) {
  const char* wanted = std::getenv("SPV_LONG_TESTS");
  return wanted != nullptr && std::string_view(wanted) == "1" ? thorough : usual;
}

}  // namespace spv::test
