// Syncs by whole blocks: the same wallet as by filtered ones, nothing told to the peer, and every forgery refused.
#include <algorithm>
#include <functional>

#include "chain/block_header.h"
#include "tests/scenario/sync_scenario.h"

namespace spv::test {
namespace {

using Source = sync::SourceMode;
constexpr std::uint64_t kPlainServices = p2p::services::kNetwork | p2p::services::kWitness;

class WholeBlocks : public SyncScenario {
 protected:
  WholeBlocks() { options.source.mode = Source::Blocks; }

  ChainBuilder story() {
    const auto first = TxBuilder(1).pays(receive(0), 10'000).build();
    const auto second = TxBuilder(2).pays(receive(1), 20'000).build();
    const auto with_change = TxBuilder(3).spends(first).pays(stranger(), 4'000).pays(change(0), 5'000).build();
    const auto without = TxBuilder(4).spends(second).witness(util::Bytes(64, 1)).pays(stranger(), 19'000).build();
    return ChainBuilder().block({first, second}).blocks(5).block({with_change}).blocks(40).block({without}).blocks(20);
  }
  /// Lets the body of every block above this height be changed on its way.
  static Tamper forge(chain::Height above, std::function<void(util::Bytes&)> change) {
    return [above, seen = 0, change = std::move(change)](Reply& reply) mutable {
      for (auto& message : reply.messages) {
        auto* block = std::get_if<p2p::Block>(&message);
        if (block == nullptr || seen++ < above) continue;
        auto body = util::to_bytes(block->body);
        change(body);
        *block = p2p::Block::owning(block->header, std::move(body));
      }
    };
  }
  /// A liar, and an honest node a little later: the wallet is right all the same.
  void expect_refused(const Tamper& fault, Reason reason) {
    add_node(story()).fake.add_fault(fault);
    add_node(story()).reachable = false;
    sim().after(milliseconds(900), [this] { sim().node(1).reachable = true; });
    sync();
    EXPECT_TRUE(dropped(reason));
    EXPECT_EQ(difference(), "");
  }
};

TEST_F(WholeBlocks, FindAllThatFilteredBlocksFindAndLoadNoFilter) {
  auto& node = add_node(story());
  sync();
  EXPECT_EQ(balance().total(), 5'000);
  EXPECT_EQ(difference(), "");
  EXPECT_TRUE(node.fake.seen.filter_loads.empty());
  EXPECT_EQ(node.fake.seen.filtered_blocks_asked(), 0);
  EXPECT_EQ(sim().counters().blocks, 68U);
  EXPECT_EQ(sim().counters().merkleblocks, 0U);
  EXPECT_EQ(sim().counters().false_positives, 0U);
}

TEST_F(WholeBlocks, AnyFullNodeCanServeThem) {
  options.mempool_wait = seconds(5);
  add_node(story(), kPlainServices);
  sync();
  EXPECT_EQ(difference(), "");
  EXPECT_EQ(to_string(sim().engine().mempool()), "skipped");
}

TEST_F(WholeBlocks, AreKeptWithTheirWitnessAndAProof) {
  add_node(story());
  sync();
  for (const auto& record : sim().committed().transactions) {
    util::Reader in(record.proof);
    const auto header = chain::BlockHeader::decode(in);
    const auto tree = bip37::PartialMerkleTree::decode(in);
    ASSERT_TRUE(in.done());
    EXPECT_EQ(bip37::extract_matches(tree)->root, header.merkle_root);
    EXPECT_TRUE(bip37::narrow_to(tree, record.txid).has_value());
    EXPECT_EQ(record.tx.has_witness(), record.confirmation->block.height == 48);
  }
}

TEST_F(WholeBlocks, OfSeveralPeersComeOutOfOrderAndMissNothing) {
  options.spacing = milliseconds(3);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    start_anew(seed);
    ChainBuilder chain;
    for (std::uint32_t i = 0; i < 40; ++i) {
      const auto payment = TxBuilder(i).pays(receive(i), 1'000).build();
      const auto spend = TxBuilder(100 + i).spends(payment).pays(stranger(), 1).build();
      chain.block({payment}).block({spend}).blocks(static_cast<int>(i % 3));
    }
    for (int node = 0; node < 3; ++node) add_node(chain, kPlainServices);
    sync();
    ASSERT_EQ(difference(), "") << "seed " << seed;
    ASSERT_EQ(sim().wallet().history().size(), 80U);
  }
}

TEST_F(WholeBlocks, FollowLooseTransactionsWithoutTellingWhichAreOurs) {
  options.mempool_wait = seconds(20);
  options.follow = true;
  auto& node = add_node(story());
  node.fake.add_to_mempool(TxBuilder(70).pays(stranger(), 1).build());
  node.fake.add_to_mempool(TxBuilder(71).pays(receive(5), 600).build());
  sync();
  EXPECT_EQ(balance().unconfirmed, 600);
  node.fake.mine_mempool();
  sim().set_chain(0, node.fake.chain());
  sim().run_for(seconds(5));
  node.fake.add_to_mempool(TxBuilder(72).pays(receive(6), 50).build());
  sim().run_for(seconds(30));
  EXPECT_EQ(balance().confirmed, 5'600);
  EXPECT_EQ(balance().unconfirmed, 50);
  EXPECT_TRUE(node.fake.seen.filter_loads.empty());
}

TEST_F(WholeBlocks, M6_AChangedBlockConfirmsNothing) {
  expect_refused(forge(0, [](util::Bytes& body) { body.back() ^= 1U; }), Reason::BadBlock);
}

TEST_F(WholeBlocks, R2_ACutBlockIsRefused) {
  expect_refused(forge(3, [](util::Bytes& body) { body.pop_back(); }), Reason::BadBlock);
}

TEST_F(WholeBlocks, R2_FourMegabytesOfNonsenseAreRefused) {
  expect_refused(forge(3, [](util::Bytes& body) { body.assign(3'999'900, 0x01); }), Reason::BadBlock);
}

TEST_F(WholeBlocks, M3_ARepeatedTransactionIsRefused) {
  const auto repeat = [](util::Bytes& body) {
    if (body[0] != 3) return;  // of three transactions the last may be repeated without a change of the root
    util::Reader in(util::ByteView(body).subspan(1));
    chain::Transaction::decode(in);
    chain::Transaction::decode(in);
    const auto last = util::to_bytes(in.rest());
    body.insert(body.end(), last.begin(), last.end());
    body[0] = 4;
  };
  expect_refused(forge(0, repeat), Reason::BadBlock);
}

TEST_F(WholeBlocks, AWitnessThatWasTamperedWithIsRefused) {
  const auto change = [](util::Bytes& body) {
    const util::Bytes witness(64, 1);
    const auto found = std::search(body.begin(), body.end(), witness.begin(), witness.end());
    if (found != body.end()) *found = 2;
  };
  expect_refused(forge(0, change), Reason::BadBlock);
}

TEST_F(WholeBlocks, AreAskedForOnceEachFromOnePeer) {
  auto& node = add_node(ChainBuilder().blocks(700).pays(receive(3), 9));
  sync();
  for (chain::Height height = 1; height <= 701; ++height) EXPECT_EQ(node.fake.seen.whole_blocks[height], 1) << height;
}

TEST_F(WholeBlocks, UnaskedOnesEndTheConnection) {
  options.source.mode = Source::Filter;
  const auto block = ChainBuilder().blocks(1).tip_block();
  auto bytes = block.serialize();
  const auto extra = p2p::Block::owning(block.header, {bytes.begin() + chain::BlockHeader::kSize, bytes.end()});
  const auto flood = [extra](Reply& reply) {
    for (int i = 0; i < 12; ++i) reply.messages.emplace_back(extra);
  };
  add_node(story()).fake.add_fault(flood);
  sync_fails(sync::Failure::Code::NoPeers);
  EXPECT_TRUE(dropped(Reason::Flooding));
}

class AutoSource : public WholeBlocks {
 protected:
  AutoSource() { options.source.mode = Source::Auto; }
};

TEST_F(AutoSource, TakesNoWholeBlocksFromAfarWithoutAnAllowance) {
  auto& node = add_node(ChainBuilder().blocks(300).pays(receive(3), 9));
  sync();
  EXPECT_EQ(difference(), "");
  EXPECT_TRUE(node.fake.seen.whole_blocks.empty());
}

TEST_F(AutoSource, NeverPassesItsAllowance) {
  options.source.max_download = 3 * p2p::kMaxPayloadBytes;
  auto& node = add_node(ChainBuilder().blocks(300).pays(receive(3), 9).blocks(300));
  sync();
  EXPECT_EQ(difference(), "");
  EXPECT_FALSE(node.fake.seen.whole_blocks.empty());
  EXPECT_GT(node.fake.seen.filtered_blocks_asked(), 0);
}

TEST_F(AutoSource, APeerWithoutFiltersServesAsLongAsTheAllowanceLasts) {
  options.source.max_download = 2 * p2p::kMaxPayloadBytes;
  add_node(ChainBuilder().blocks(40), kPlainServices);
  sync();
  EXPECT_EQ(difference(), "");
}

// All that it may be asked for is under way: it serves, and does not lag.
TEST_F(AutoSource, APeerWithoutFiltersIsKeptWhileTheAllowanceIsAllUnderWay) {
  options.source.max_download = 20 * p2p::kMaxPayloadBytes;
  options.spacing = milliseconds(20);
  auto& node = add_node(ChainBuilder().blocks(500), kPlainServices);
  sync();
  EXPECT_EQ(difference(), "");
  EXPECT_FALSE(dropped(Reason::Lagging));
  EXPECT_EQ(node.fake.seen.whole_blocks.size(), 500U);
}

TEST_F(AutoSource, MixesBothKindsAndFindsEverything) {
  options.source.max_download = 1'000'000'000;
  options.spacing = milliseconds(1);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    start_anew(seed);
    ChainBuilder chain;
    for (std::uint32_t i = 0; i < 60; ++i) {
      const auto payment = TxBuilder(i).pays(receive(i), 1'000).build();
      const auto spend = TxBuilder(100 + i).spends(payment).pays(stranger(), 1).build();
      chain.block({payment}).blocks(static_cast<int>(i % 4)).block({spend});
    }
    add_node(chain);
    add_node(chain, kPlainServices);
    sync();
    ASSERT_EQ(difference(), "") << "seed " << seed;
    EXPECT_GT(sim().counters().blocks, 0U);
    EXPECT_GT(sim().counters().merkleblocks, 0U);
  }
}

}  // namespace
}  // namespace spv::test
