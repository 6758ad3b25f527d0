// A month of following in simulated time: blocks, reorganisations, and peers that come and go all the time. A day of it
// in every run, 30 with SPV_LONG_TESTS=1.
#include "tests/scenario/sync_scenario.h"
#include "tests/support/long_tests.h"

namespace spv::test {
namespace {

constexpr int kBlocksADay = 144;
constexpr int kChangesABlock = 24;  // 103,680 connections lost in 30 days
constexpr int kBlocksAReorganisation = 21;

class Soak : public SyncScenario {
 protected:
  static constexpr std::size_t kNodes = 8;

  Soak() { options.follow = true; }

  /// A block for everybody, now and then with something of ours; or another branch that is one block longer.
  void grow() {
    ChainBuilder next = chain_;
    const bool reorganise = ++blocks_ % kBlocksAReorganisation == 0;
    if (reorganise) {
      const auto depth = static_cast<chain::Height>(1 + rng_.below(6));
      next = chain_.at_height(chain_.height() - depth).salt(rng_.next());
      for (chain::Height i = 0; i < depth; ++i) next.block(transactions());
    }
    next.block(transactions());
    chain_ = next;
    for (std::size_t i = 0; i < kNodes; ++i) sim().set_chain(i, chain_);
  }
  /// Somebody hangs up, is gone for a while, and comes back.
  void change_peer() {
    const auto node = rng_.below(kNodes);
    const auto before = sim().open_connections();
    sim().cut(node);
    lost_ += before - sim().open_connections();
  }
  void live(int days) {
    for (int day = 0; day < days; ++day) {
      for (int block = 0; block < kBlocksADay; ++block) {
        grow();
        for (int change = 0; change < kChangesABlock; ++change) {
          sim().run_for(seconds(600) / kChangesABlock);
          change_peer();
        }
      }
      sim().run_for(seconds(120));
      ASSERT_EQ(difference(chain_), "") << "day " << day;
      restart();  // once a day
    }
  }

  ChainBuilder chain_ = ChainBuilder().blocks(10);
  std::uint64_t lost_ = 0;
  int blocks_ = 0;

 private:
  std::vector<chain::Transaction> transactions() {
    std::vector<chain::Transaction> out;
    if (rng_.below(3) != 0) return out;
    TxBuilder tx(rng_.next());
    if (!coins_.empty() && rng_.below(2) == 0) {
      tx.spends(coins_.back());
      coins_.pop_back();
    }
    tx.pays(receive(static_cast<std::uint32_t>(rng_.below(40))), 1 + static_cast<chain::Amount>(rng_.below(1'000)));
    out.push_back(tx.build());
    coins_.push_back(outpoint(out.back(), 0));
    return out;
  }

  util::Rng rng_{3};
  std::vector<chain::OutPoint> coins_;
};

TEST_F(Soak, AMonthOfBlocksReorganisationsAndPeersThatComeAndGoMissesNothing) {
  for (std::size_t i = 0; i < kNodes; ++i) add_node(chain_);
  const auto days = static_cast<int>(repeats(1, 30));
  live(days);
  RecordProperty("blocks", blocks_);
  RecordProperty("reorganisations", blocks_ / kBlocksAReorganisation);
  RecordProperty("peer_changes", static_cast<int>(lost_));
  EXPECT_GE(lost_, static_cast<std::uint64_t>(days) * 3'334);
}

}  // namespace
}  // namespace spv::test
