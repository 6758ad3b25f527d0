// merkleblock and the proof in it: round trip, and read as a second implementation reads it; each match can be proven
// alone, under the same root.
#include "tests/fuzz/merkle_check.h"
#include "tests/fuzz/payload.h"

SPV_FUZZ_TARGET(merkleblock, input) {
  using namespace spv;
  const auto message = fuzz::check_payload("merkleblock", input);
  if (!message) return;
  const auto& tree = std::get<p2p::MerkleBlock>(*message).tree;
  const auto found = fuzz::check_tree(tree);
  if (!found) return;
  for (const auto& match : found->matches) {
    const auto alone = bip37::narrow_to(tree, match.txid);
    util::ensure(alone.has_value(), "a match that cannot be proven alone");
    const auto again = bip37::extract_matches(*alone);
    util::ensure(again && again->root == found->root, "the proof of one match has another root");
    util::ensure(again->matches.size() == 1 && again->matches[0].txid == match.txid, "it proves something else");
  }
}
