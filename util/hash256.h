// 32-byte hashes. Txid, BlockHash and the others are different types, so that mixing them does not compile.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "util/bytes.h"

namespace spv::util {

/// A hash in wire order; printed reversed, as block explorers do.
template <typename Tag>
struct TaggedHash {
  static constexpr std::size_t kSize = 32;
  std::array<std::uint8_t, kSize> bytes{};

  [[nodiscard]] ByteView view() const { return bytes; }
  [[nodiscard]] bool is_zero() const {
    for (const std::uint8_t byte : bytes) {
      if (byte != 0) return false;
    }
    return true;
  }
  friend bool operator==(const TaggedHash& a, const TaggedHash& b) {
    return std::memcmp(a.bytes.data(), b.bytes.data(), kSize) == 0;
  }
  friend std::strong_ordering operator<=>(const TaggedHash& a, const TaggedHash& b) {
    return std::memcmp(a.bytes.data(), b.bytes.data(), kSize) <=> 0;
  }
};

struct PlainTag;
struct TxidTag;
struct WtxidTag;
struct BlockHashTag;
struct MerkleRootTag;
struct FilterHashTag;
struct FilterHeaderTag;
using Hash256 = TaggedHash<PlainTag>;
using Txid = TaggedHash<TxidTag>;
using Wtxid = TaggedHash<WtxidTag>;
using BlockHash = TaggedHash<BlockHashTag>;
using MerkleRoot = TaggedHash<MerkleRootTag>;
using FilterHash = TaggedHash<FilterHashTag>;
using FilterHeader = TaggedHash<FilterHeaderTag>;

/// The hex that block explorers print (reversed bytes).
std::string display_hex(ByteView wire_order);
/// Wire order bytes from 64 characters of display hex.
std::optional<std::array<std::uint8_t, 32>> from_display_hex(std::string_view text);

template <typename Tag>
std::string to_string(const TaggedHash<Tag>& hash) {
  return display_hex(hash.view());
}

/// Parses display hex into a hash of the named kind: parse_hash<Txid>("…").
template <typename Hash>
std::optional<Hash> parse_hash(std::string_view text) {
  const auto bytes = from_display_hex(text);
  if (!bytes) return std::nullopt;
  return Hash{*bytes};
}

/// The same 32 bytes under another name; the one place where a tag changes.
template <typename To, typename Tag>
To retag(const TaggedHash<Tag>& hash) {
  return To{hash.bytes};
}

}  // namespace spv::util

// Hashes are uniform already: eight of their bytes make a bucket number.
template <typename Tag>
struct std::hash<spv::util::TaggedHash<Tag>> {
  std::size_t operator()(const spv::util::TaggedHash<Tag>& value) const noexcept {
    std::size_t bucket = 0;
    std::memcpy(&bucket, value.bytes.data(), sizeof bucket);
    return bucket;
  }
};
