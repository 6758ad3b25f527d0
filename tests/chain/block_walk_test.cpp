// Blocks read in place: what passes is what decodes, transaction by transaction, and nothing else.
#include "chain/block_walk.h"

#include <gtest/gtest.h>

#include "bip37/partial_merkle_tree.h"
#include "chain/block_header.h"
#include "tests/support/chain_builder.h"
#include "tests/support/scripts.h"
#include "tests/support/tx_builder.h"
#include "tests/support/vectors.h"
#include "util/rng.h"

namespace spv::chain {
namespace {

struct Walked {
  bool ok = false;
  std::vector<Txid> txids;
  std::vector<Wtxid> wtxids;
  std::vector<util::Bytes> outpoints;
  std::vector<util::Bytes> scripts;
  friend bool operator==(const Walked&, const Walked&) = default;
};

Walked walk(util::ByteView body) {
  Walked out;
  out.ok = walk_block(
      body, [&](util::ByteView outpoint) { out.outpoints.push_back(util::to_bytes(outpoint)); },
      [&](util::ByteView script) { out.scripts.push_back(util::to_bytes(script)); },
      [&](const TxView& tx) {
        out.txids.push_back(tx.txid());
        out.wtxids.push_back(tx.wtxid());
      });
  return out.ok ? out : Walked{};
}

// The same by the decoder that makes transactions of them.
Walked decode(util::ByteView body) {
  Walked out;
  util::Reader in(body);
  const std::uint64_t count = in.compact_size();
  for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
    const Transaction tx = Transaction::decode(in);
    if (!in.ok()) break;
    out.txids.push_back(tx.txid());
    out.wtxids.push_back(tx.wtxid());
    for (const auto& input : tx.inputs) out.outpoints.push_back(util::to_bytes(input.previous.bytes()));
    for (const auto& output : tx.outputs) out.scripts.push_back(output.script_pubkey);
  }
  out.ok = in.done() && count > 0;
  return out.ok ? out : Walked{};
}

util::Bytes sample_body() {
  const auto a = test::TxBuilder(1).pays(test::p2wpkh(util::Bytes(20, 1)), 5).pays(util::Bytes(300, 0x51), 6).build();
  const auto b = test::TxBuilder(2).spends(a).witness(util::Bytes(71, 1)).witness({}).pays({}, 1).build();
  auto block = test::ChainBuilder().block({a, b}).tip_block().serialize();
  return {block.begin() + BlockHeader::kSize, block.end()};
}

TEST(BlockWalk, FindsWhatTheDecoderFinds) {
  const auto body = sample_body();
  const auto walked = walk(body);
  EXPECT_TRUE(walked.ok);
  EXPECT_EQ(walked.txids.size(), 3U);
  EXPECT_EQ(walked, decode(body));
}

TEST(BlockWalk, ACutOrLengthenedBodyIsRefused) {
  auto body = sample_body();
  for (std::size_t size = 0; size < body.size(); ++size) {
    EXPECT_FALSE(walk(util::ByteView(body).first(size)).ok) << size;
  }
  body.push_back(0);
  EXPECT_FALSE(walk(body).ok);
}

TEST(BlockWalk, ACountBeyondTheBytesIsRefusedAtOnce) {
  EXPECT_FALSE(walk(test::hex("ffffffffffffffffff")).ok);
  EXPECT_FALSE(walk(test::hex("feffffffff")).ok);
  EXPECT_FALSE(walk(test::hex("00")).ok);
  EXPECT_FALSE(walk({}).ok);
}

TEST(BlockWalk, AcceptsExactlyWhatDecodesUnderRandomChanges) {
  util::Rng rng(7);
  const auto body = sample_body();
  int accepted = 0;
  for (int round = 0; round < 20'000; ++round) {
    auto bytes = body;
    for (std::uint64_t n = 1 + rng.below(3); n > 0; --n) {
      const auto at = static_cast<std::size_t>(rng.below(bytes.size()));
      const std::uint64_t how = rng.below(4);
      if (how == 0) bytes[at] = static_cast<std::uint8_t>(rng.next());
      if (how == 1) bytes[at] = static_cast<std::uint8_t>(bytes[at] + 1);
      if (how == 2) bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(at));
      if (how == 3)
        bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at), static_cast<std::uint8_t>(rng.below(3)));
    }
    const auto walked = walk(bytes);
    accepted += walked.ok ? 1 : 0;
    ASSERT_EQ(walked, decode(bytes)) << "round " << round;
  }
  EXPECT_GT(accepted, 100);  // or it would have shown nothing
}

TEST(BlockWalk, RealBlocksHaveTheRootOfTheirHeader) {
  for (const char* name : {"169482", "300025", "363703", "481829", "830000", "831328", "831329", "831332"}) {
    SPV_VECTOR_FILE_OR_SKIP(path, "blocks/mainnet_" + std::string(name) + ".bin");
    const auto block = test::read_binary(path);
    util::Reader in(block);
    const auto header = BlockHeader::decode(in);
    const auto walked = walk(in.rest());
    ASSERT_TRUE(walked.ok) << name;
    EXPECT_EQ(bip37::merkle_root(walked.txids), header.merkle_root) << name;
  }
}

}  // namespace
}  // namespace spv::chain
