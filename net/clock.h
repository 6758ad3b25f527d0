// The clocks and the entropy of the machine: the only place that reads them.
#pragma once

#include <cstdint>
#include <span>

#include "util/rng.h"
#include "util/time.h"

namespace spv::net {

/// This instant by both clocks.
util::Now read_clock();

/// Fills with the system's entropy; throws std::system_error if there is none (never a fallback).
void fill_with_entropy(std::span<std::uint8_t> out);
/// 32 bytes of it.
util::Rng::Seed system_entropy();

}  // namespace spv::net
