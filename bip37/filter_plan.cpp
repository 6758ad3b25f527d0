#include "bip37/filter_plan.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "util/ensure.h"
#include "util/hash.h"

namespace spv::bip37 {
namespace {

// Large enough that chance moves a filter's rate by no more than a few percent.
constexpr std::size_t kFirstStep = 128;
// Where the rate starts, as a share of the target: above 0.5 by more than chance takes away (P1).
constexpr double kStartOfTarget = 0.7;
constexpr double kReloadAt = 2;
constexpr std::size_t kDecoyBytes = 20;  // as long as a key's or script's hash

// f = (1 - e^(-kn/m))^k, solved for kn/m.
double load_at_rate(std::uint32_t hash_funcs, double fp_rate) {
  return -std::log1p(-std::pow(fp_rate, 1.0 / hash_funcs));
}

// ... and for m, in bytes.
double bytes_for(std::size_t elements, std::uint32_t hash_funcs, double fp_rate) {
  return std::ceil(hash_funcs * static_cast<double>(elements) / load_at_rate(hash_funcs, fp_rate) / 8);
}

// ... and for n.
std::size_t elements_at_rate(const FilterShape& shape, double fp_rate) {
  const double bits = static_cast<double>(shape.bytes) * 8;
  return static_cast<std::size_t>(bits / shape.hash_funcs * load_at_rate(shape.hash_funcs, fp_rate));
}

std::array<std::uint8_t, kDecoyBytes> decoy(std::uint64_t seed, std::uint64_t index) {
  const util::Bytes input = util::Writer().integer(seed).integer(index).take();
  const util::Hash256 hash = util::tagged_sha256("spv/decoy", input);
  std::array<std::uint8_t, kDecoyBytes> out{};
  std::copy_n(hash.bytes.begin(), out.size(), out.begin());
  return out;
}

std::size_t count_distinct(std::span<const util::Bytes> elements) {
  std::vector<util::ByteView> sorted(elements.begin(), elements.end());
  const auto less = [](util::ByteView a, util::ByteView b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  };
  const auto equal = [](util::ByteView a, util::ByteView b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  };
  std::sort(sorted.begin(), sorted.end(), less);
  return static_cast<std::size_t>(std::unique(sorted.begin(), sorted.end(), equal) - sorted.begin());
}

}  // namespace

std::size_t filter_step(std::size_t elements) {
  std::size_t step = kFirstStep;
  while (step < elements) step += step / 2;
  return step;
}

FilterShape plan_shape(std::size_t elements, double fp_target) {
  util::ensure(fp_target > 0 && fp_target < 1, "a false positive rate lies between 0 and 1");
  const std::size_t step = filter_step(elements);
  const double start = kStartOfTarget * fp_target;
  // The optimum is log2(1/p) functions; beyond it more of them need more bits again.
  const double optimum = std::min(std::ceil(-std::log2(start)), double{kMaxHashFunctions});
  for (auto k = static_cast<std::uint32_t>(std::ceil(optimum / 3)); k <= static_cast<std::uint32_t>(optimum); ++k) {
    const double bytes = bytes_for(step, k, start);
    if (bytes <= double{kMaxFilterBytes}) return {static_cast<std::size_t>(bytes), k, false};
  }
  return design_filter(step, start);
}

bool fits_one_filter(std::size_t elements, double fp_target) {
  return expected_fp_rate(plan_shape(elements, fp_target), elements) <= fp_target;
}

// Steps are those of the plan, so that a filter that is full by this measure is still within its bytes.
std::size_t filter_capacity(double fp_target) {
  std::size_t fits = filter_step(1);
  for (std::size_t step = fits; !plan_shape(step, fp_target).capped; step = filter_step(step + 1)) {
    fits = step;
    if (step > 1'000'000) break;
  }
  return fits * 9 / 10;
}

FilterPlan plan_filter(std::span<const util::Bytes> elements, double fp_target, std::uint32_t tweak,
                       std::uint64_t decoy_seed, UpdateFlags flags) {
  const std::size_t own = count_distinct(elements);
  const FilterShape shape = plan_shape(own, fp_target);
  const std::size_t filled = elements_at_rate(shape, kStartOfTarget * fp_target);
  FilterPlan plan{.filter = BloomFilter(shape, tweak, flags),
                  .elements = own,
                  .decoys = filled > own ? filled - own : 0,
                  .fp_target = fp_target};
  for (const auto& element : elements) plan.filter.insert(element);
  for (std::size_t i = 0; i < plan.decoys; ++i) plan.filter.insert(decoy(decoy_seed, i));
  plan.fp_expected = expected_fp_rate(shape, own + plan.decoys);
  plan.capped = plan.fp_expected > fp_target;
  return plan;
}

double highest_rate(const FilterPlan& plan) {
  // A capped plan cannot do better than it did: measured by its target it would be reloaded for ever.
  return std::min(kReloadAt * std::max(plan.fp_target, plan.fp_expected), 1.0);
}

}  // namespace spv::bip37
