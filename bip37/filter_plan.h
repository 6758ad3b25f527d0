// Which filter a wallet loads: a size that grows in steps, and decoys that keep the false positive rate at its target
// (BIP37; privacy rules P1 to P4: same elements, same bytes, at every peer and in every run).
//
// Policy. The shape depends on the element count's step and the target alone. A step is filled with decoys until the
// rate is 0.7 of the target; what the node inserts by itself (UPDATE_ALL) may then raise it to twice the target before
// a reload. That room is wide because a filter gets a third of the hash functions that the least size would take
// (k = log2(1/p) / 3) and the bits for it: at 1e-5 1.6 times the least size, and 21 % more elements until the rate is
// at its limit instead of 9 %. Where 36,000 bytes are too few for that, functions are added up to the optimum; where
// even that fails the plan is capped: no decoys, and `fp_expected` says what is reached.
#pragma once

#include <cstdint>
#include <span>

#include "bip37/bloom_filter.h"

namespace spv::bip37 {

/// The false positive rate, for each thing that is looked up, unless the user wants another. A block of 2,500
/// transactions looks up some 20,000, so at this rate one in fifty blocks brings a stranger's transaction, and a filter
/// serves for tens of thousands of blocks before what it matches by chance wears it out (docs/adr/0004).
inline constexpr double kDefaultFpRate = 0.000001;

struct FilterPlan {
  BloomFilter filter;
  std::size_t elements = 0;  // the wallet's own, counted once each
  std::size_t decoys = 0;
  double fp_target = 0;
  double fp_expected = 0;  // of the filter as it is loaded
  bool capped = false;     // the target is out of reach at 36,000 bytes
};

/// How many elements the step holds that `elements` fall into: 128, 192, 288, …, each half as much again.
std::size_t filter_step(std::size_t elements);
/// The shape for a step at a target rate, which lies between 0 and 1.
FilterShape plan_shape(std::size_t elements, double fp_target);
/// True if one filter of so many elements can keep to a target rate.
bool fits_one_filter(std::size_t elements, double fp_target);
/// Elements that one filter holds at a target rate, with room for what the node adds to it between two loads.
std::size_t filter_capacity(double fp_target);
/// The filter for a wallet's elements (pushes and outpoints). Tweak and decoy seed are the wallet's, kept for good;
/// the same arguments give the same bytes, in whatever order the elements come.
FilterPlan plan_filter(std::span<const util::Bytes> elements, double fp_target, std::uint32_t tweak,
                       std::uint64_t decoy_seed, UpdateFlags flags);

/// The rate that the filter must not pass: twice the planned one. It is time to load a fresh one before.
double highest_rate(const FilterPlan& plan);

}  // namespace spv::bip37
