// The false positive rate against the fill, as text and as SVG: the predicted curve (fill^k, from the formulas of
// bip37/bloom_filter.h) and the measured points, the rate on a logarithmic scale.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "cli/commands/filter/measurement.h"

namespace spv::cli {

/// Lines for a terminal of 80 columns, plain ASCII: '.' is predicted, 'o' measured.
std::string terminal_plot(std::uint32_t hash_funcs, std::span<const CurvePoint> curve);
/// A whole SVG document.
std::string svg_plot(std::uint32_t hash_funcs, std::span<const CurvePoint> curve);

}  // namespace spv::cli
