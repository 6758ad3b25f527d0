// MurmurHash3 (x86, 32 bits): the hash of BIP37's filters. Not cryptographic.
#pragma once

#include <array>
#include <cstdint>

#include "util/bytes.h"

namespace spv::bip37 {

/// The hash of `data` under one seed.
std::uint32_t murmur3(std::uint32_t seed, util::ByteView data);

/// An element to be hashed under many seeds: the words' own mixing does not depend on the seed and is done once.
/// Refers to the element's bytes, so it must not outlive them; allocates nothing.
class MurmurElement {
 public:
  explicit MurmurElement(util::ByteView data);
  static constexpr std::uint32_t kLanes = 4;
  /// murmur3(seed + lane * step, data) for each lane: side by side they take little longer than one.
  [[nodiscard]] std::array<std::uint32_t, kLanes> hashes(std::uint32_t seed, std::uint32_t step) const;

 private:
  // Hashes, keys, outpoints and signatures fit; what is longer is rare and hashed the plain way.
  static constexpr std::size_t kMaxWords = 20;
  util::ByteView data_;
  std::size_t words_ = 0;
  std::uint32_t tail_ = 0;
  bool prepared_ = false;
  std::array<std::uint32_t, kMaxWords> mixed_;  // the first words_ are set
};

}  // namespace spv::bip37
