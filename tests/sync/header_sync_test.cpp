#include "sync/header_sync.h"

#include <gtest/gtest.h>

#include "tests/chain/header_builder.h"

namespace spv::sync {
namespace {

using chain::BlockHeader;
using chain::Checkpoint;
using chain::test::kLater;
using chain::test::mine_on;

constexpr std::size_t kBatch = p2p::kMaxHeaders;

/// A chain whose network has checkpoints a period apart, on the headers `real`, and one peer that sends.
class HeaderSyncTest : public testing::Test {
 protected:
  HeaderSyncTest() {
    network_.checkpoints = checkpoints_;
    peer_.id = 1;
  }
  HeaderSync::Result receive(std::span<const BlockHeader> headers) {
    p2p::Headers message;
    message.headers.assign(headers.begin(), headers.end());
    return sync_.on(peer_, message, now_, out_);
  }
  std::size_t held() const {
    std::size_t sum = 0;
    for (const auto& branch : chain_.side_branches().all()) sum += branch.headers.size();
    return sum;
  }

  const std::vector<BlockHeader> real_ = mine_on(chain::params(chain::Network::Regtest).genesis, 6100, 1);
  const std::array<Checkpoint, 3> checkpoints_ = {Checkpoint{.height = 2015, .hash = real_[2014].hash()},
                                                  Checkpoint{.height = 4031, .hash = real_[4030].hash()},
                                                  Checkpoint{.height = 6047, .hash = real_[6046].hash()}};
  chain::NetworkParams network_ = chain::params(chain::Network::Regtest);
  chain::MemoryHeaderStore store_{0, network_.genesis, 2};
  chain::HeaderChain chain_{network_, store_};
  PeerPool pool_{{{"a", 1}}, false};
  HeaderSync sync_{chain_, pool_};
  Peer peer_;
  Outbox out_;
  util::Now now_{.monotonic = {}, .wall = kLater};
};

TEST_F(HeaderSyncTest, H9_SpamFromGenesisCostsThePeerItsConnectionWithinTwoBatchesAndUsNothing) {
  const auto spam = mine_on(network_.genesis, 2 * kBatch, 2);
  EXPECT_EQ(receive(std::span(spam).first(kBatch)).fault, std::nullopt);
  EXPECT_EQ(chain_.height(), 0);
  EXPECT_TRUE(receive(std::span(spam).subspan(kBatch)).fault);
  EXPECT_EQ(chain_.height(), 0);
  EXPECT_LE(held(), 2 * kBatch);
}

TEST_F(HeaderSyncTest, H9_SpamThatForksBelowACheckpointPassedIsRefusedAtOnce) {
  for (std::size_t at = 0; at < 3 * kBatch; at += kBatch) receive(std::span(real_).subspan(at, kBatch));
  ASSERT_EQ(chain_.height(), 4031);
  const auto before = held();
  EXPECT_TRUE(receive(mine_on(real_[3000], 10, 2)).fault);
  EXPECT_EQ(held(), before);
}

TEST_F(HeaderSyncTest, TheTrueChainIsAskedForOnAndOnAndStoredAtEveryCheckpoint) {
  std::vector<chain::Height> heights;
  for (std::size_t at = 0; at < real_.size(); at += kBatch) {
    const auto batch = std::span(real_).subspan(at, std::min(kBatch, real_.size() - at));
    EXPECT_EQ(receive(batch).fault, std::nullopt);
    EXPECT_EQ(peer_.headers_deadline.has_value(), batch.size() == kBatch);
    EXPECT_LE(held(), 2 * kBatch);
    heights.push_back(chain_.height());
  }
  EXPECT_EQ(heights, (std::vector<chain::Height>{0, 2015, 4031, 6100}));
  EXPECT_TRUE(peer_.caught_up);
  EXPECT_EQ(sync_.added(), real_.size());
}

TEST_F(HeaderSyncTest, H13_BatchesThatGainNothingEndTheAsking) {
  receive(std::span(real_).first(kBatch));
  for (int i = 0; i < 3 && !peer_.caught_up; ++i) receive(std::span(real_).first(kBatch));
  EXPECT_TRUE(peer_.caught_up);
  EXPECT_FALSE(peer_.headers_deadline);
}

}  // namespace
}  // namespace spv::sync
