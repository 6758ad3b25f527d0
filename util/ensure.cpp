#include "util/ensure.h"

#include <cstdio>
#include <cstdlib>

namespace spv::util {

void ensure_failed(const char* why, const char* file, int line) {
  std::fprintf(stderr, "internal error: %s (%s:%d)\n", why, file, line);
  std::abort();
}

}  // namespace spv::util
