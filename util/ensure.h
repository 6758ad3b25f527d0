// ensure(): our own bugs stop the program, in release too. Never used on input from outside.
#pragma once

#include <source_location>

namespace spv::util {

/// Prints where and why to stderr and aborts.
[[noreturn]] void ensure_failed(const char* why, const std::source_location& where);

/// Stops the program if an invariant of our own does not hold.
inline void ensure(bool condition, const char* why,
                   const std::source_location& where = std::source_location::current()) {
  if (!condition) [[unlikely]] {
    ensure_failed(why, where);
  }
}

}  // namespace spv::util
