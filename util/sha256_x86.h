// SHA-256 by the instructions of x86 processors, for several messages side by side: one alone leaves the unit idle half
// of the time. Only where has_sha_instructions(); util/hash_batch chooses.
#pragma once

#if defined(__x86_64__)

#include <array>
#include <cstddef>
#include <cstdint>

#include "util/hash256.h"

namespace spv::util {

/// The state of a hash, in words of the processor.
using Sha256Words = std::array<std::uint32_t, 8>;

/// The state before the first block.
inline constexpr Sha256Words kSha256Start = {0x6A09'E667, 0xBB67'AE85, 0x3C6E'F372, 0xA54F'F53A,
                                             0x510E'527F, 0x9B05'688C, 0x1F83'D9AB, 0x5BE0'CD19};

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
