// The clocks and the entropy of the machine: the only place that reads them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "util/rng.h"
#include "util/time.h"

namespace spv::net {

/// What says how late it is. Whatever measures time in net/ asks the one that it was given.
using Clock = std::function<util::Now()>;

/// This instant by both clocks of the machine.
util::Now read_clock();

/// Fills with the system's entropy; throws std::system_error if there is none (never a fallback).
void fill_with_entropy(std::span<std::uint8_t> out);
/// 32 bytes of it.
util::Rng::Seed system_entropy();

}  // namespace spv::net
