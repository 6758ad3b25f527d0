// The rounds of MurmurHash3 (x86, 32 bits), inline: for whoever hashes in an inner loop.
#pragma once

#include <bit>
#include <cstdint>

#include "util/bytes.h"

namespace spv::bip37::murmur {

inline std::uint32_t mix_word(std::uint32_t word) { return std::rotl(word * 0xCC9E'2D51U, 15) * 0x1B87'3593U; }

inline std::uint32_t add_word(std::uint32_t hash, std::uint32_t mixed) {
  return std::rotl(hash ^ mixed, 13) * 5U + 0xE654'6B64U;
}

inline std::uint32_t finish(std::uint32_t hash, std::uint32_t mixed_tail, std::size_t size) {
  hash ^= mixed_tail;
  hash ^= static_cast<std::uint32_t>(size);
  hash = (hash ^ (hash >> 16U)) * 0x85EB'CA6BU;
  hash = (hash ^ (hash >> 13U)) * 0xC2B2'AE35U;
  return hash ^ (hash >> 16U);
}

inline std::uint32_t load_word(const std::uint8_t* bytes) {
  return std::uint32_t{bytes[0]} | (std::uint32_t{bytes[1]} << 8U) | (std::uint32_t{bytes[2]} << 16U) |
         (std::uint32_t{bytes[3]} << 24U);
}

// The up to three bytes behind the last whole word; mixing leaves an empty tail at zero.
inline std::uint32_t mix_tail(util::ByteView data) {
  const std::size_t whole = data.size() / 4 * 4;
  std::uint32_t tail = 0;
  for (std::size_t i = whole; i < data.size(); ++i) tail |= std::uint32_t{data[i]} << (8U * (i - whole));
  return mix_word(tail);
}

/// The whole hash.
inline std::uint32_t hash(std::uint32_t seed, util::ByteView data) {
  std::uint32_t hash = seed;
  for (std::size_t i = 0; i + 4 <= data.size(); i += 4) hash = add_word(hash, mix_word(load_word(&data[i])));
  return finish(hash, mix_tail(data), data.size());
}

/// The same where the size is known: without a loop, whose end the processor would have to guess.
template <std::size_t Words>
std::uint32_t hash_words(std::uint32_t seed, const std::uint8_t* bytes) {
  std::uint32_t hash = seed;
  for (std::size_t i = 0; i < Words; ++i) hash = add_word(hash, mix_word(load_word(bytes + 4 * i)));
  return finish(hash, 0, 4 * Words);
}

/// The same for an element of a filter: most are hashes of 20 or 32 bytes, or outpoints of 36.
inline std::uint32_t hash_element(std::uint32_t seed, util::ByteView data) {
  if (data.size() == 20) return hash_words<5>(seed, data.data());
  if (data.size() == 36) return hash_words<9>(seed, data.data());
  if (data.size() == 32) return hash_words<8>(seed, data.data());
  return hash(seed, data);
}

}  // namespace spv::bip37::murmur
