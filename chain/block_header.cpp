#include "chain/block_header.h"

#include "util/hash.h"

namespace spv::chain {

BlockHash BlockHeader::hash() const {
  util::Writer out(kSize);
  encode(out);
  return util::retag<BlockHash>(util::sha256d(out.data()));
}

void BlockHeader::encode(util::Writer& out) const {
  out.integer(version).hash(previous).hash(merkle_root).integer(time).integer(bits).integer(nonce);
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
