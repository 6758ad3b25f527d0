// merkleblock and the proof in it: no input may crash, and matches lie inside the block in order.
#include "p2p/message.h"
#include "util/ensure.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace spv;
  const util::ByteView payload(data, size);
  const auto message = p2p::decode_payload("merkleblock", payload);
  if (!message) return 0;
  util::ensure(p2p::encode_payload(*message) == util::to_bytes(payload), "a payload has two forms");
  const auto& tree = std::get<p2p::MerkleBlock>(*message).tree;
  const auto found = bip37::extract_matches(tree);
  if (!found) return 0;
  std::uint32_t next = 0;
  for (const auto& match : found->matches) {
    util::ensure(match.index >= next && match.index < tree.transactions, "matches out of order or range");
    next = match.index + 1;
  }
  return 0;
}
