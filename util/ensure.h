// ensure(): our own bugs stop the program, in release too. Never used on input from outside.
#pragma once

namespace spv::util {

/// Prints where and why to stderr and aborts.
[[noreturn]] void ensure_failed(const char* why, const char* file, int line);

/// Stops the program if an invariant of our own does not hold.
// The builtins instead of std::source_location, which clang 14 does not have.
inline void ensure(bool condition, const char* why, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  if (!condition) [[unlikely]] {
    ensure_failed(why, file, line);
  }
}

}  // namespace spv::util
