// The 80 bytes that proof of work covers.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "chain/types.h"
#include "util/codec.h"

namespace spv::chain {

struct BlockHeader {
  static constexpr std::size_t kSize = 80;

  std::int32_t version = 0;
  BlockHash previous;
  MerkleRoot merkle_root;
  std::uint32_t time = 0;
  std::uint32_t bits = 0;
  std::uint32_t nonce = 0;

  /// Double SHA-256 of the encoded header; computed on every call.
  [[nodiscard]] BlockHash hash() const;
  void encode(util::Writer& out) const;
  /// The wire form on its own; nothing is allocated.
  [[nodiscard]] std::array<std::uint8_t, kSize> bytes() const;
  static BlockHeader from_bytes(std::span<const std::uint8_t, kSize> bytes);
  static BlockHeader decode(util::Reader& in);
  friend bool operator==(const BlockHeader&, const BlockHeader&) = default;
};

}  // namespace spv::chain
