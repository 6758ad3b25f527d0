// The time of day, for what a store tells by itself.
#pragma once

#include <chrono>

#include "util/time.h"

namespace spv::store {

inline util::UnixTime wall_time() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace spv::store
