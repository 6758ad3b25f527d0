// Double SHA-256 of many messages at once: all transactions of a block, a level of a merkle tree. Where the processor
// has AVX-512 sixteen messages go through it side by side; with SHA instructions alone two, because one keeps it
// waiting for itself.
#pragma once

#include <cstddef>
#include <span>

#include "util/bytes.h"
#include "util/hash256.h"

namespace spv::util {

/// A message in three parts; the first and the last are less than 32 bytes each.
struct PartedMessage {
  ByteView first;
  ByteView middle;
  ByteView last;
};

/// How many messages are hashed side by side. Sixteen means: as many as the processor can; fewer are for tests.
enum class HashLanes { One, Two, Sixteen };

/// SHA-256 twice of each message, in their order.
void sha256d_each(std::span<const PartedMessage> messages, Hash256* out, HashLanes most = HashLanes::Sixteen);
/// SHA-256 twice of each two neighbours; `out` may be `nodes` itself.
void sha256d_neighbours(const Hash256* nodes, std::size_t pairs, Hash256* out, HashLanes most = HashLanes::Sixteen);

}  // namespace spv::util
