// Whether this system gives pseudo-terminals: some containers have no /dev/pts, and then nothing that asks on a
// terminal can be tried.
#pragma once

#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace spv::test {

inline bool has_pseudo_terminals() {
  const int fd = ::posix_openpt(O_RDWR | O_NOCTTY);
  if (fd < 0) return false;
  bool good = ::grantpt(fd) == 0 && ::unlockpt(fd) == 0;
  const char* name = good ? ::ptsname(fd) : nullptr;
  good = name != nullptr && ::access(name, R_OK | W_OK) == 0;
  ::close(fd);
  return good;
}

}  // namespace spv::test

#define SPV_TERMINAL_OR_SKIP()                                                                    \
  if (!spv::test::has_pseudo_terminals()) {                                                       \
    GTEST_SKIP() << "no pseudo-terminals here; mount them with: mount -t devpts devpts /dev/pts"; \
  }
