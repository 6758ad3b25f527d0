// What `spv filter union` and `spv filter intersect` share.
#pragma once

#include <string>

#include <boost/json/fwd.hpp>

#include "bip37/bloom_filter.h"

namespace spv::cli {

struct FilterPair;

struct TwoFilters {
  bip37::BloomFilter first;
  bip37::BloomFilter second;
};
/// Reads both; throws CommandError that names the difference if one cannot be laid over the other.
TwoFilters read_pair(const FilterPair& options);
/// The new file and the filter in it.
boost::json::object combined_json(const FilterPair& options, const char* operation, const bip37::BloomFilter& filter);
/// "u.hex: union of a.hex and b.hex; 12.5% of the bits set, false positive rate 0.0001"
std::string combined_text(const FilterPair& options, const char* operation, const bip37::BloomFilter& filter);

}  // namespace spv::cli
