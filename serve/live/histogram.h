// Histogram: how often a value fell into which range. Cheap to feed from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

namespace spv::serve {

struct HistogramValue {
  std::span<const double> bounds;     // upper ends of the ranges; one more has no end
  std::vector<std::uint64_t> counts;  // of each range by itself
  double sum = 0;
};

class Histogram {
 public:
  /// `bounds` grow, and outlive it.
  explicit Histogram(std::span<const double> bounds) : bounds_(bounds), counts_(bounds.size() + 1) {}

  void observe(double value);
  [[nodiscard]] HistogramValue value() const;

 private:
  std::span<const double> bounds_;
  std::vector<std::atomic<std::uint64_t>> counts_;
  std::atomic<double> sum_{0};
};

}  // namespace spv::serve
