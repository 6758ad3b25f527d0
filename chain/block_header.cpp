#include "chain/block_header.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "util/hash.h"

namespace spv::chain {

// The fields lie in memory as they do on the wire, on machines that store the low byte first.
constexpr bool kSameLayout = std::is_trivially_copyable_v<BlockHeader> && std::endian::native == std::endian::little &&
                             sizeof(BlockHeader) == BlockHeader::kSize;

BlockHash BlockHeader::hash() const { return util::retag<BlockHash>(util::sha256d(bytes())); }

void BlockHeader::encode(util::Writer& out) const { out.bytes(bytes()); }

std::array<std::uint8_t, BlockHeader::kSize> BlockHeader::bytes() const {
  if constexpr (kSameLayout) {
    return std::bit_cast<std::array<std::uint8_t, kSize>>(*this);
  } else {
    util::Writer out(kSize);
    out.integer(version).hash(previous).hash(merkle_root).integer(time).integer(bits).integer(nonce);
    std::array<std::uint8_t, kSize> raw{};
    std::copy(out.data().begin(), out.data().end(), raw.begin());
    return raw;
  }
}

BlockHeader BlockHeader::from_bytes(std::span<const std::uint8_t, kSize> bytes) {
  if constexpr (kSameLayout) {
    BlockHeader header;
    std::memcpy(&header, bytes.data(), kSize);
    return header;
  } else {
    util::Reader in(bytes);
    return decode(in);
  }
}

BlockHeader BlockHeader::decode(util::Reader& in) {
  return {.version = in.integer<std::int32_t>(),
          .previous = in.hash<BlockHash>(),
          .merkle_root = in.hash<MerkleRoot>(),
          .time = in.integer<std::uint32_t>(),
          .bits = in.integer<std::uint32_t>(),
          .nonce = in.integer<std::uint32_t>()};
}

}  // namespace spv::chain
