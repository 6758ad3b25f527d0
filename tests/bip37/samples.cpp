#include "tests/bip37/samples.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "bip37/matcher.h"
#include "bip37/merkle_shape.h"
#include "tests/support/vectors.h"
#include "util/ensure.h"

namespace spv::test {

SampleBlock parse_block(util::ByteView bytes) {
  util::Reader in(bytes);
  SampleBlock block;
  block.header = chain::BlockHeader::decode(in);
  const std::size_t count = in.count(1);
  for (std::size_t i = 0; i < count; ++i) {
    block.txs.push_back(chain::Transaction::decode(in));
    block.txids.push_back(block.txs.back().txid());
  }
  util::ensure(in.done(), "a block of the tests does not decode");
  return block;
}

std::optional<MerkleBlock> parse_merkle_block(util::ByteView bytes) {
  util::Reader in(bytes);
  MerkleBlock block;
  block.header = chain::BlockHeader::decode(in);
  block.tree = bip37::PartialMerkleTree::decode(in);
  if (!in.done()) return std::nullopt;
  return block;
}

Filtered filter_block(const SampleBlock& block, bip37::BloomFilter& filter) {
  Filtered out;
  for (std::size_t i = 0; i < block.txs.size(); ++i) {
    out.matched.push_back(bip37::match_and_update(block.txs[i], block.txids[i], filter));
  }
  out.proof = {block.header, bip37::build_partial_tree(block.txids, out.matched)};
  return out;
}

util::Bytes small_block_bytes() {
  return from_hex(
      "0100000075616236cc2126035fadb38deb65b9102cc2c41c09cdf29fc051906800000000fe7d5e12ef0ff901f60502112499"
      "19b1c0653771832b3a80c66cea42847f0ae1d4d26e49ffff001d00f0a4410401000000010000000000000000000000000000"
      "000000000000000000000000000000000000ffffffff0804ffff001d029105ffffffff0100f2052a010000004341046d8709"
      "a041d34357697dfcb30a9d05900a6294078012bf3bb09c6f9b525f1d16d5503d7905db1ada9501446ea00728668fc5719aa8"
      "0be2fdfc8a858a4dbdd4fbac00000000010000000255605dc6f5c3dc148b6da58442b0b2cd422be385eab2ebea4119ee9c26"
      "8d28350000000049483045022100aa46504baa86df8a33b1192b1b9367b4d729dc41e389f2c04f3e5c7f0559aae702205e82"
      "253a54bf5c4f65b7428551554b2045167d6d206dfe6a2e198127d3f7df1501ffffffff55605dc6f5c3dc148b6da58442b0b2"
      "cd422be385eab2ebea4119ee9c268d2835010000004847304402202329484c35fa9d6bb32a55a70c0982f606ce0e3634b690"
      "06138683bcd12cbb6602200c28feb1e2555c3210f1dddb299738b4ff8bbe9667b68cb8764b5ac17b7adf0001ffffffff0200"
      "e1f505000000004341046a0765b5865641ce08dd39690aade26dfbf5511430ca428a3089261361cef170e3929a68aee3d8d4"
      "848b0c5111b0a37b82b86ad559fd2a745b44d8e8d9dfdc0cac00180d8f000000004341044a656f065871a353f216ca26cef8"
      "dde2f03e8c16202d2e8ad769f02032cb86a5eb5e56842e92e19141d60a01928f8dd2c875a390f67c1f6c94cfc617c0ea45af"
      "ac0000000001000000025f9a06d3acdceb56be1bfeaa3e8a25e62d182fa24fefe899d1c17f1dad4c20280000000048473044"
      "02205d6058484157235b06028c30736c15613a28bdb768ee628094ca8b0030d4d6eb0220328789c9a2ec27ddaec0ad5ef58e"
      "fded42e6ea17c2e1ce838f3d6913f5e95db601ffffffff5f9a06d3acdceb56be1bfeaa3e8a25e62d182fa24fefe899d1c17f"
      "1dad4c2028010000004a493046022100c45af050d3cea806cedd0ab22520c53ebe63b987b8954146cdca42487b84bdd60221"
      "00b9b027716a6b59e640da50a864d6dd8a0ef24c76ce62391fa3eabaf4d2886d2d01ffffffff0200e1f50500000000434104"
      "6a0765b5865641ce08dd39690aade26dfbf5511430ca428a3089261361cef170e3929a68aee3d8d4848b0c5111b0a37b82b8"
      "6ad559fd2a745b44d8e8d9dfdc0cac00180d8f000000004341046a0765b5865641ce08dd39690aade26dfbf5511430ca428a"
      "3089261361cef170e3929a68aee3d8d4848b0c5111b0a37b82b86ad559fd2a745b44d8e8d9dfdc0cac000000000100000002"
      "e2274e5fea1bf29d963914bd301aa63b64daaf8a3e88f119b5046ca5738a0f6b0000000048473044022016e7a727a061ea22"
      "54a6c358376aaa617ac537eb836c77d646ebda4c748aac8b0220192ce28bf9f2c06a6467e6531e27648d2b3e2e2bae85159c"
      "9242939840295ba501ffffffffe2274e5fea1bf29d963914bd301aa63b64daaf8a3e88f119b5046ca5738a0f6b010000004a"
      "493046022100b7a1a755588d4190118936e15cd217d133b0e4a53c3c15924010d5648d8925c9022100aaef031874db2114f2"
      "d869ac2de4ae53908fbfea5b2b1862e181626bb9005c9f01ffffffff0200e1f505000000004341044a656f065871a353f216"
      "ca26cef8dde2f03e8c16202d2e8ad769f02032cb86a5eb5e56842e92e19141d60a01928f8dd2c875a390f67c1f6c94cfc617"
      "c0ea45afac00180d8f000000004341046a0765b5865641ce08dd39690aade26dfbf5511430ca428a3089261361cef170e392"
      "9a68aee3d8d4848b0c5111b0a37b82b86ad559fd2a745b44d8e8d9dfdc0cac00000000");
}

bip37::MerkleError error_of(const bip37::PartialMerkleTree& tree) {
  const auto found = bip37::extract_matches(tree);
  util::ensure(!found, "a bad proof was accepted");
  return found.error();
}

bool proves(const bip37::PartialMerkleTree& tree, const chain::MerkleRoot& root) {
  const auto found = bip37::extract_matches(tree);
  return found && found->root == root;
}

bip37::PartialMerkleTree proof_by_branch(const util::Hash256& leaf, std::uint32_t index,
                                         const std::vector<util::Hash256>& branch, std::uint32_t transactions) {
  bip37::PartialMerkleTree tree{.transactions = transactions, .hashes = {leaf}, .flags = {}};
  std::vector<bool> bits{true};
  for (std::uint32_t level = 0; level < branch.size(); ++level) {
    const std::uint32_t at = index >> level;
    if (at % 2 == 1) {
      tree.hashes.insert(tree.hashes.begin(), branch[level]);
      bits.insert(bits.begin(), false);
    } else if (at + 1 < bip37::width_at(transactions, level)) {
      tree.hashes.push_back(branch[level]);
      bits.push_back(false);
    }
    bits.insert(bits.begin(), true);
  }
  tree.flags.resize((bits.size() + 7) / 8);
  for (std::size_t i = 0; i < bits.size(); ++i) {
    if (bits[i]) tree.flags[i / 8] = static_cast<std::uint8_t>(tree.flags[i / 8] | (1U << (i % 8)));
  }
  return tree;
}

util::Bytes payload(const bip37::BloomFilter& filter) {
  util::Writer out;
  filter.encode(out);
  return out.take();
}

std::vector<chain::Txid> random_txids(std::size_t count, util::Rng& rng) {
  std::vector<chain::Txid> txids(count);
  for (auto& txid : txids) {
    const util::Bytes bytes = rng.bytes(chain::Txid::kSize);
    std::copy(bytes.begin(), bytes.end(), txid.bytes.begin());
  }
  return txids;
}

std::vector<bool> random_marks(std::size_t count, std::size_t marks, util::Rng& rng) {
  std::vector<bool> out(count);
  for (std::size_t i = 0; i < marks; ++i) out[static_cast<std::size_t>(rng.below(count))] = true;
  return out;
}

std::uint64_t quick_repeats(std::uint64_t usual, std::uint64_t thorough) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(NDEBUG)
  return repeats(usual, thorough);
#else
  return std::getenv("SPV_QUICK_TESTS") == nullptr ? thorough : usual;
#endif
}

}  // namespace spv::test
