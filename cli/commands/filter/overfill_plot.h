// The false positive rate of a filter that takes more elements than it was planned for, as an SVG drawing: the filter's
// own curve, and those of filters for as many elements at 10 %, 1 % and 0.1 %.
#pragma once

#include <string>

#include "bip37/bloom_filter.h"

namespace spv::cli {

/// A whole SVG document, from the planned count to five times as many; `elements` is at least 1.
std::string overfill_plot(const bip37::FilterShape& shape, std::size_t elements);

}  // namespace spv::cli
