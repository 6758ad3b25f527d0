// The clocks and the entropy of the machine: the only place that reads them.
#pragma once

#include "util/rng.h"
#include "util/time.h"

namespace spv::net {

/// This instant by both clocks.
util::Now read_clock();

/// 32 bytes of the system's entropy; throws std::system_error if there is none (never a fallback).
util::Rng::Seed system_entropy();

}  // namespace spv::net
