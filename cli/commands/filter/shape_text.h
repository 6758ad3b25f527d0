// The size of a filter in words.
#pragma once

#include <string>
#include <string_view>

#include "bip37/bloom_filter.h"

namespace spv::cli {

/// "360 bytes (2880 bits), 10 hash functions"
std::string shape_text(const bip37::FilterShape& shape);
/// "none", "all" or "p2pubkey", as --flags takes them.
std::string_view flags_name(bip37::UpdateFlags flags);
/// Prints a line if BIP37's limits do not allow the rate that was asked for.
void print_capped(const bip37::FilterShape& shape, double fp_target, double fp_expected);

}  // namespace spv::cli
