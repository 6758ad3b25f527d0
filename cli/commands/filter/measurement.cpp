#include "cli/commands/filter/measurement.h"

#include <cmath>

#include "util/rng.h"

namespace spv::cli {
namespace {

// As long as a key's hash. Two equal ones do not happen, so that every hit of a probe is a false positive.
constexpr std::size_t kElementBytes = 20;

bip37::BloomFilter empty_filter(const bip37::FilterShape& shape, util::Rng& rng) {
  return {shape, static_cast<std::uint32_t>(rng.next()), bip37::UpdateFlags::None};
}

void insert_random(bip37::BloomFilter& filter, std::size_t count, util::Rng& rng) {
  for (std::size_t i = 0; i < count; ++i) filter.insert(rng.bytes(kElementBytes));
}

std::uint64_t count_hits(const bip37::BloomFilter& filter, std::uint64_t probes, util::Rng& rng) {
  std::uint64_t hits = 0;
  for (std::uint64_t i = 0; i < probes; ++i) hits += filter.contains(rng.bytes(kElementBytes)) ? 1U : 0U;
  return hits;
}

}  // namespace

double Measurement::fp_measured() const { return static_cast<double>(false_positives) / static_cast<double>(probes); }

double Measurement::deviation() const {
  const double sigma = std::sqrt(fp_from_bits * (1 - fp_from_bits) / static_cast<double>(probes));
  return sigma > 0 ? (fp_measured() - fp_from_bits) / sigma : 0;
}

Measurement measure_filter(const bip37::FilterShape& shape, std::size_t elements, std::uint64_t probes,
                           std::uint64_t seed) {
  util::Rng rng(seed);
  auto filter = empty_filter(shape, rng);
  insert_random(filter, elements, rng);
  return {.probes = probes,
          .false_positives = count_hits(filter, probes, rng),
          .fp_expected = bip37::expected_fp_rate(shape, elements),
          .fp_from_bits = filter.fp_rate()};
}

std::vector<CurvePoint> measure_curve(const bip37::FilterShape& shape, std::size_t elements, std::uint64_t probes,
                                      std::uint64_t seed) {
  constexpr std::size_t kPoints = 16;
  util::Rng rng(seed);
  auto filter = empty_filter(shape, rng);
  std::vector<CurvePoint> curve;
  std::size_t inside = 0;
  for (std::size_t i = 1; i <= kPoints; ++i) {
    const std::size_t count = 2 * elements * i / kPoints;
    if (count == inside) continue;
    insert_random(filter, count - inside, rng);
    inside = count;
    const auto hits = static_cast<double>(count_hits(filter, probes, rng));
    curve.push_back({.elements = count,
                     .fill = filter.fill_ratio(),
                     .fp_expected = bip37::expected_fp_rate(shape, count),
                     .fp_measured = hits / static_cast<double>(probes)});
  }
  return curve;
}

}  // namespace spv::cli
