// SipHash-2-4: the keyed hash by which BIP158 maps a script to a number.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "chain/types.h"
#include "util/bytes.h"

namespace spv::bip158 {

/// The key of a block's filter: the first 16 bytes of the block's hash.
struct Key {
  std::uint64_t k0 = 0;
  std::uint64_t k1 = 0;

  static Key of(const chain::BlockHash& block);
  friend bool operator==(const Key&, const Key&) = default;
};

std::uint64_t siphash(const Key& key, util::ByteView data);

namespace detail {

inline std::uint64_t load_word(const std::uint8_t* bytes) {
  static_assert(std::endian::native == std::endian::little, "words are read as they lie in memory");
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

struct SipState {
  explicit SipState(const Key& key)
      : v0(key.k0 ^ 0x736F'6D65'7073'6575U),
        v1(key.k1 ^ 0x646F'7261'6E64'6F6DU),
        v2(key.k0 ^ 0x6C79'6765'6E65'7261U),
        v3(key.k1 ^ 0x7465'6462'7974'6573U) {}

  void round() {
    v0 += v1;
    v1 = std::rotl(v1, 13) ^ v0;
    v0 = std::rotl(v0, 32);
    v2 += v3;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 += v3;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 += v1;
    v1 = std::rotl(v1, 17) ^ v2;
    v2 = std::rotl(v2, 32);
  }
  void absorb(std::uint64_t word) {
    v3 ^= word;
    round();
    round();
    v0 ^= word;
  }
  std::uint64_t finish() {
    v2 ^= 0xFFU;
    for (int i = 0; i < 4; ++i) round();
    return v0 ^ v1 ^ v2 ^ v3;
  }

  std::uint64_t v0;
  std::uint64_t v1;
  std::uint64_t v2;
  std::uint64_t v3;
};

}  // namespace detail

/// The same where the size is known, at least eight bytes: without a loop whose end the processor would have to guess.
template <std::size_t Size>
std::uint64_t siphash_of(const Key& key, const std::uint8_t* data) {
  static_assert(Size >= 8, "the tail is read together with the word before it");
  constexpr std::size_t kWords = Size / 8;
  constexpr std::size_t kTail = Size % 8;
  detail::SipState state(key);
  for (std::size_t i = 0; i < kWords; ++i) state.absorb(detail::load_word(data + 8 * i));
  std::uint64_t last = std::uint64_t{Size} << 56U;
  if constexpr (kTail != 0) last |= detail::load_word(data + Size - 8) >> (64U - 8U * kTail);
  state.absorb(last);
  return state.finish();
}

}  // namespace spv::bip158
