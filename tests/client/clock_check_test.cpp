#include "client/clock_check.h"

#include <gtest/gtest.h>

#include "chain/header_chain.h"
#include "chain/header_store.h"
#include "chain/pow.h"

namespace spv::client {
namespace {

std::optional<ClockBehind> check(chain::Network network, util::UnixTime now) {
  const auto& params = chain::params(network);
  chain::MemoryHeaderStore store(0, params.genesis, chain::work_of_bits(params.genesis.bits));
  return check_clock(chain::HeaderChain(params, store), now);
}

TEST(ClockCheck, FindsAClockBehindTheChain) {
  const auto genesis = chain::params(chain::Network::Regtest).genesis.time;
  EXPECT_FALSE(check(chain::Network::Regtest, genesis));
  EXPECT_FALSE(check(chain::Network::Regtest, util::UnixTime{genesis} - chain::kMaxFutureSeconds));
  const auto now = util::UnixTime{genesis} - chain::kMaxFutureSeconds - 1;
  const auto behind = check(chain::Network::Regtest, now);
  ASSERT_TRUE(behind);
  EXPECT_EQ(behind->clock, now);
  EXPECT_EQ(behind->height, 0);
  EXPECT_EQ(behind->block_time, genesis);
}

TEST(ClockCheck, KnowsLaterBlocksWithoutAChain) {
  const auto& last = chain::params(chain::Network::Main).start_points.back();
  EXPECT_FALSE(check(chain::Network::Main, last.header.time));
  const auto behind = check(chain::Network::Main, util::UnixTime{last.header.time} - 86'400);
  ASSERT_TRUE(behind);
  EXPECT_EQ(behind->height, last.height);
}

}  // namespace
}  // namespace spv::client
