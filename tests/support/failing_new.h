// Linking this replaces operator new by one that can be told to fail; it is for programs with one thread.
#pragma once

#include <cstdint>

namespace spv::test {

/// While it lives the allocation of this number (from 1, counted from now) throws std::bad_alloc, and if `lasting` all
/// that follow.
class FailingNew {
 public:
  FailingNew(std::uint64_t allocation, bool lasting);
  FailingNew(const FailingNew&) = delete;
  FailingNew& operator=(const FailingNew&) = delete;
  ~FailingNew();

  /// Whether one has failed since the last was made.
  [[nodiscard]] static bool has_failed();
};

}  // namespace spv::test
