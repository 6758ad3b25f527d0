// SHA-256 of sixteen messages side by side, each in its own 32 bits of the 512-bit registers that many x86 processors
// have (AVX-512). Only where has_wide_sha256(); util/hash_batch chooses.
#pragma once

#if defined(__x86_64__)

#include <array>
#include <cstddef>
#include <cstdint>

#include "util/hash256.h"
#include "util/sha256_constants.h"

namespace spv::util {

inline constexpr std::size_t kWideLanes = 16;

/// True if the processor has it, and the system lets programs use it.
bool has_wide_sha256();

/// The double hash of sixteen messages of as many blocks each, with their padding.
void sha256d_wide(const std::array<const std::uint8_t*, kWideLanes>& messages, std::size_t blocks,
                  const std::array<Hash256*, kWideLanes>& out);
/// Of sixteen pairs of neighbours the double hash of both together; `out` may be `nodes`.
void sha256d_pairs_wide(const Hash256* nodes, Hash256* out);

}  // namespace spv::util

#endif
