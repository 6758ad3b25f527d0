#include "util/ensure.h"

#include <cstdio>
#include <cstdlib>

namespace spv::util {

void ensure_failed(const char* why, const std::source_location& where) {
  std::fprintf(stderr, "internal error: %s (%s:%u)\n", why, where.file_name(), unsigned{where.line()});
  std::abort();
}

}  // namespace spv::util
