// Omission: a peer leaves out what is ours, with proofs that hold. A second peer brings it to light (security.md E6).
#include <cmath>

#include "tests/scenario/sync_scenario.h"

namespace spv::test {
namespace {

using Mode = sync::CrossCheckMode;

class CrossCheckScenario : public SyncScenario {
 protected:
  CrossCheckScenario() {
    options.cross_check = Mode::Full;
    options.spacing = milliseconds(2);
  }

  /// Eight payments and their spends, without change, spread over 160 blocks.
  ChainBuilder story() {
    ChainBuilder chain;
    ours_.clear();
    for (std::uint32_t i = 0; i < 8; ++i) {
      const auto payment = TxBuilder(i).pays(receive(i), 1'000 + i).build();
      const auto spend = TxBuilder(100 + i).spends(outpoint(payment, 0)).pays(stranger(), 1).build();
      chain.blocks(9).block({payment}).blocks(9).block({spend});
      ours_.push_back(payment.txid());
      ours_.push_back(spend.txid());
    }
    return chain;
  }

  std::vector<chain::Txid> ours_;
};

TEST_F(CrossCheckScenario, E6_UnderFullALiarOfTwoIsFoundWhateverItLeavesOut) {
  const int runs = std::getenv("SPV_LONG_TESTS") == nullptr ? 48 : 1'000;
  for (int run = 0; run < runs; ++run) {
    SCOPED_TRACE(run);
    start_anew(static_cast<std::uint64_t>(run) + 1);
    const auto chain = story();
    add_node(chain);
    add_node(chain);
    const auto liar = static_cast<std::size_t>(run % 2);
    sim().node(liar).fake.omit_tx(ours_[static_cast<std::size_t>(run / 2) % ours_.size()]);
    sync();
    ASSERT_EQ(difference(), "");
    ASSERT_TRUE(dropped(Reason::Omission));
    ASSERT_EQ(events<sync::PeerStateChanged>().back().address.port, liar);
  }
}

TEST_F(CrossCheckScenario, UnderFullTwoHonestPeersAgreeOnEveryBlock) {
  const auto chain = story();
  add_node(chain);
  add_node(chain);
  sync();
  EXPECT_EQ(difference(), "");
  EXPECT_FALSE(dropped(Reason::Omission));
  EXPECT_EQ(sim().engine().cross_checked(), 160U);
}

TEST_F(CrossCheckScenario, OnePeerAloneCannotBeCheckedAndEndsAllTheSame) {
  add_node(story());
  sync();
  EXPECT_EQ(difference(), "");
  EXPECT_EQ(sim().engine().cross_checked(), 0U);
}

TEST_F(CrossCheckScenario, WithoutItALieStaysHidden) {
  options.cross_check = Mode::Off;
  const auto chain = story();
  add_node(chain).fake.omit_tx(ours_[0]);
  sync();
  EXPECT_NE(difference(), "") << "the oracle sees what a single peer hides";
}

TEST_F(CrossCheckScenario, E6_UnderSampleWhatAnHonestPeerFindsIsHeldAgainstTheOther) {
  options.cross_check = Mode::Sample;
  const auto chain = story();
  add_node(chain);
  auto& liar = add_node(chain);
  for (const auto& txid : ours_) liar.fake.omit_tx(txid);
  sync();
  EXPECT_TRUE(dropped(Reason::Omission));
  EXPECT_EQ(difference(), "");
}

// The stated probability: a lie about a block is found every time where the honest peer served it, and one time in
// twenty where the liar did (three sigma).
TEST_F(CrossCheckScenario, E6_UnderSampleALiarOfTwoIsFoundAtTheStatedRate) {
  options.cross_check = Mode::Sample;
  options.gap_limit = 1;  // quick to derive
  int served_by_liar = 0;
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 1'500; ++seed) {
    SCOPED_TRACE(seed);
    start_anew(seed);
    const auto payment = TxBuilder(1).pays(receive(0), 1'000).build();
    const auto chain = ChainBuilder().blocks(20).block({payment}).blocks(20);
    const auto hash = chain.header(21).hash();
    std::optional<std::size_t> first;
    for (std::size_t i = 0; i < 2; ++i) {
      add_node(chain).fake.add_fault([&first, &hash, i](const Reply& reply) {
        for (const auto& message : reply.messages) {
          const auto* block = std::get_if<p2p::MerkleBlock>(&message);
          if (block != nullptr && !first && block->header.hash() == hash) first = i;
        }
      });
    }
    const std::size_t liar = seed % 2;
    sim().node(liar).fake.omit_tx(payment.txid());
    sync();
    ASSERT_TRUE(first);
    ASSERT_EQ(dropped(Reason::Omission), difference().empty()) << "found, and mended";
    if (*first != liar) {
      ASSERT_TRUE(dropped(Reason::Omission));
      continue;
    }
    ++served_by_liar;
    found += dropped(Reason::Omission) ? 1 : 0;
  }
  EXPECT_GT(served_by_liar, 500);
  const double expected = served_by_liar * sync::CrossCheck::kSampleShare;
  EXPECT_NEAR(found, expected, 3 * std::sqrt(expected * (1 - sync::CrossCheck::kSampleShare)));
}

TEST_F(CrossCheckScenario, UnderSampleMostBlocksAreAskedForOnce) {
  options.cross_check = Mode::Sample;
  const auto chain = ChainBuilder().blocks(1'000);
  auto& first = add_node(chain);
  auto& second = add_node(chain);
  sync();
  const int asked = first.fake.seen.filtered_blocks_asked() + second.fake.seen.filtered_blocks_asked();
  EXPECT_GT(asked, 1'000 + 20);
  EXPECT_LT(asked, 1'000 + 100);
}

// A root posing as the block's only transaction: the proof holds, the block seems to hold nothing of ours.
TEST_F(CrossCheckScenario, M14_AProofOfAnotherShapeConvictsItsPeerWhereTheOtherProvesATransaction) {
  const auto chain = story();
  add_node(chain);
  add_node(chain).fake.add_fault(faults::claim_one_transaction());
  sync();
  EXPECT_EQ(difference(), "");
  EXPECT_TRUE(dropped(Reason::BadProof));
}

TEST_F(CrossCheckScenario, M14_WhereNeitherProvesATransactionTheWholeBlockDecidesAndOnlyTheLiarIsLeft) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    start_anew(seed);
    ChainBuilder chain;
    for (std::uint64_t i = 0; i < 30; ++i) chain.block({TxBuilder(i).pays(stranger(), 1).build()});
    add_node(chain).fake.add_fault(faults::claim_one_transaction());
    add_node(chain);
    sync();
    ASSERT_EQ(difference(), "");
    ASSERT_TRUE(dropped(Reason::BadProof));
    ASSERT_EQ(events<sync::PeerStateChanged>().back().address.port, 0);
    ASSERT_FALSE(sim().node(0).fake.seen.whole_blocks.empty() && sim().node(1).fake.seen.whole_blocks.empty());
  }
}

TEST_F(CrossCheckScenario, AReorganisationInTheMiddleLeavesNoCheckBehind) {
  const auto chain = story();
  add_node(chain);
  add_node(chain);
  auto fork = chain.at_height(100).salt(7);
  fork.blocks(80);
  sim().after(milliseconds(400), [&, fork] {
    sim().set_chain(0, fork);
    sim().set_chain(1, fork);
  });
  sync();
  EXPECT_EQ(difference(), "");
  EXPECT_FALSE(dropped(Reason::Omission));
}

}  // namespace
}  // namespace spv::test
