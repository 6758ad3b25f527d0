// SHA-256 by the instructions of x86 processors, for several messages side by side: one alone leaves the unit idle half
// of the time. Only where has_sha_instructions(); util/hash_batch chooses.
#pragma once

#if defined(__x86_64__)

#include <array>
#include <cstddef>
#include <cstdint>

#include "util/hash256.h"
#include "util/sha256_constants.h"

namespace spv::util {

bool has_sha_instructions();

// N is 1 or 2.

/// One block of 64 bytes into each of N states.
template <std::size_t N>
__attribute__((target("sha,sse4.1"))) void sha256_compress(std::array<Sha256Words*, N> into,
                                                           std::array<const std::uint8_t*, N> blocks);
/// N hashes, each given by its words, become those of themselves.
template <std::size_t N>
__attribute__((target("sha,sse4.1"))) void sha256_in_place(Hash256* hashes);
/// Of N pairs of neighbours the double hash of both together; `out` may be `nodes`.
template <std::size_t N>
__attribute__((target("sha,sse4.1"))) void sha256d_pairs(const Hash256* nodes, Hash256* out);

}  // namespace spv::util

#endif
