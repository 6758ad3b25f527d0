// A filter's false positive rate by experiment: random elements go in, others are asked for. Same seed, same result.
#pragma once

#include <cstdint>
#include <vector>

#include "bip37/bloom_filter.h"

namespace spv::cli {

struct Measurement {
  std::uint64_t probes = 0;
  std::uint64_t false_positives = 0;
  double fp_expected = 0;   // by the formula, from shape and count
  double fp_from_bits = 0;  // by the bits that are really set
  [[nodiscard]] double fp_measured() const;
  /// How far the measured rate is from that of the bits, in standard deviations of the count. The formula knows nothing
  /// of how many bits a filter of few elements happens to set.
  [[nodiscard]] double deviation() const;
};
/// Fills a filter of this shape with `elements` and probes it; both at least 1.
Measurement measure_filter(const bip37::FilterShape& shape, std::size_t elements, std::uint64_t probes,
                           std::uint64_t seed);

/// The filter on its way from empty to twice its plan.
struct CurvePoint {
  std::size_t elements = 0;
  double fill = 0;
  double fp_expected = 0;
  double fp_measured = 0;
};
/// Up to 16 points at equal steps of the count, each probed `probes` times.
std::vector<CurvePoint> measure_curve(const bip37::FilterShape& shape, std::size_t elements, std::uint64_t probes,
                                      std::uint64_t seed);

}  // namespace spv::cli
