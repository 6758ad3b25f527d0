#include "serve/live/histogram.h"

#include <algorithm>

namespace spv::serve {

void Histogram::observe(double value) {
  // A value at the end of a range is in it.
  const auto range = std::ranges::lower_bound(bounds_, value) - bounds_.begin();
  counts_[static_cast<std::size_t>(range)].fetch_add(1, std::memory_order_relaxed);
  sum_.fetch_add(value, std::memory_order_relaxed);
}

HistogramValue Histogram::value() const {
  HistogramValue out{.bounds = bounds_, .counts = {}, .sum = sum_.load(std::memory_order_relaxed)};
  for (const auto& each : counts_) out.counts.push_back(each.load(std::memory_order_relaxed));
  return out;
}

}  // namespace spv::serve
