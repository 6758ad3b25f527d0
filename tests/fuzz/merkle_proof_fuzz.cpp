// Proofs of blocks made from the input, whole and damaged: built as by a second implementation, read back as they were,
// and no damage that keeps the root proves what is not there (M6).
#include <algorithm>

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/merkle_check.h"
#include "util/hash.h"

namespace {

using namespace spv;

void damage(bip37::PartialMerkleTree& tree, fuzz::Input& input) {
  const std::size_t place = input.byte();
  const std::uint8_t value = input.byte();
  switch (value % 6) {
    case 0:
      if (!tree.flags.empty()) tree.flags[place % tree.flags.size()] ^= static_cast<std::uint8_t>(1U << (value / 32U));
      break;
    case 1:
      if (!tree.hashes.empty()) tree.hashes[place % tree.hashes.size()].bytes[value % 32] ^= 1;
      break;
    case 2:
      if (!tree.hashes.empty()) tree.hashes.push_back(tree.hashes[place % tree.hashes.size()]);
      break;
    case 3:
      if (!tree.hashes.empty())
        tree.hashes.erase(tree.hashes.begin() + static_cast<std::ptrdiff_t>(place % tree.hashes.size()));
      break;
    case 4:
      tree.transactions = static_cast<std::uint32_t>(place);
      break;
    default:
      tree.flags.push_back(static_cast<std::uint8_t>(place));
      break;
  }
}

}  // namespace

SPV_FUZZ_TARGET(merkle_proof, input) {
  fuzz::Input rest(input);
  const std::size_t count = 1 + rest.below(40);
  std::vector<util::Hash256> leaves;
  std::vector<chain::Txid> txids;
  std::vector<bool> marks;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint8_t byte = rest.byte();
    marks.push_back((byte & 1U) != 0);
    leaves.push_back(util::sha256(util::Writer().integer(byte).integer(i).data()));
    txids.push_back(util::retag<chain::Txid>(leaves.back()));
  }
  auto tree = bip37::build_partial_tree(txids, marks);
  util::ensure(tree == reference::build(leaves, marks), "another tree than the second implementation's");
  const auto whole = fuzz::check_tree(tree);
  if (!whole) return;  // two neighbours read as a transaction
  util::ensure(whole->root == bip37::merkle_root(txids), "the root");
  util::ensure(whole->matches.size() == static_cast<std::size_t>(std::count(marks.begin(), marks.end(), true)),
               "marks");

  while (!rest.empty()) {
    damage(tree, rest);
    const auto after = fuzz::check_tree(tree);
    // Another count may make inner nodes look like transactions (M8).
    if (!after || after->root != whole->root || tree.transactions != count) continue;
    for (const auto& match : after->matches) {
      util::ensure(match.txid == txids.at(match.index), "damage proves what is not there under the same root");
    }
  }
}
