#include "chain/header_hashes.h"

#include <array>

#include "util/hash_batch.h"

namespace spv::chain {

std::vector<BlockHash> hashes_of(std::span<const BlockHeader> headers) {
  std::vector<std::array<std::uint8_t, BlockHeader::kSize>> encoded(headers.size());
  std::vector<util::PartedMessage> messages(headers.size());
  for (std::size_t i = 0; i < headers.size(); ++i) {
    encoded[i] = headers[i].bytes();
    messages[i].middle = encoded[i];
  }
  std::vector<util::Hash256> hashes(headers.size());
  util::sha256d_each(messages, hashes.data());
  std::vector<BlockHash> out;
  out.reserve(hashes.size());
  for (const auto& hash : hashes) out.push_back(util::retag<BlockHash>(hash));
  return out;
}

}  // namespace spv::chain
