#include "sync/engine/proven_chain.h"

#include <array>

#include <gtest/gtest.h>

#include "sync/watch/wallet_group.h"
#include "tests/chain/header_builder.h"
#include "tests/support/simulation.h"

namespace spv::sync {
namespace {

class ProvenChainTest : public testing::Test {
 protected:
  void add_headers(std::size_t count) {
    const auto result = chain_.accept(std::span(real_).first(count), chain::test::kLater);
    ASSERT_FALSE(result.error);
  }
  bool can_align_from(chain::Height birthday, std::optional<util::UnixTime> born, bool all_headers) {
    auto config = test::simulation_wallet(1, birthday);
    config.birthday_time = born;
    wallet::Wallet wallet(config, wallet::Wallet::fresh_state(config));
    WalletGroup watcher(util::Rng(1));
    watcher.add(1, wallet);
    return can_align(watcher, chain_, all_headers);
  }

  const std::vector<chain::BlockHeader> real_ =
      chain::test::mine_on(chain::params(chain::Network::Regtest).genesis, 50, 1);
  const std::array<chain::Checkpoint, 2> checkpoints_ = {chain::Checkpoint{.height = 10, .hash = real_[9].hash()},
                                                         chain::Checkpoint{.height = 20, .hash = real_[19].hash()}};
  chain::NetworkParams network_ = chain::params(chain::Network::Regtest);
  chain::MemoryHeaderStore store_{0, network_.genesis, 2};
  chain::HeaderChain chain_{network_, store_};
};

TEST_F(ProvenChainTest, WithTheMinimumWorkTheWholeChainIsProven) {
  add_headers(30);
  EXPECT_EQ(proven_height(chain_), 30);
}

TEST_F(ProvenChainTest, WithLessTheLastCheckpointPassedIs) {
  network_.minimum_chain_work = chain::Uint256(1'000'000);
  EXPECT_EQ(proven_height(chain_), -1);
  network_.checkpoints = checkpoints_;
  add_headers(30);
  EXPECT_EQ(proven_height(chain_), 20);
}

TEST_F(ProvenChainTest, AWalletIsAlignedOnceTheHeadersReachItsBirthday) {
  add_headers(30);
  EXPECT_TRUE(can_align_from(30, std::nullopt, false));
  EXPECT_FALSE(can_align_from(31, std::nullopt, false));
  EXPECT_TRUE(can_align_from(31, std::nullopt, true)) << "there are no more headers to wait for";
}

TEST_F(ProvenChainTest, ADateNeedsALaterHeader) {
  add_headers(30);
  const auto last = util::UnixTime{real_[29].time};
  EXPECT_FALSE(can_align_from(1, last, false));
  EXPECT_TRUE(can_align_from(1, last - 1, false));
}

TEST_F(ProvenChainTest, H10_OnAChainOfTooLittleWorkNoWalletIsAligned) {
  network_.minimum_chain_work = chain::Uint256(1'000'000);
  add_headers(30);
  EXPECT_FALSE(can_align_from(1, std::nullopt, true));
}

}  // namespace
}  // namespace spv::sync
