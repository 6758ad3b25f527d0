#include "cli/commands/clock_check.h"

#include <gtest/gtest.h>

#include "chain/header_chain.h"
#include "chain/header_store.h"
#include "chain/pow.h"

namespace spv::cli {
namespace {

std::optional<std::string> complaint(chain::Network network, util::UnixTime now) {
  const auto& params = chain::params(network);
  chain::MemoryHeaderStore store(0, params.genesis, chain::work_of_bits(params.genesis.bits));
  return clock_complaint(chain::HeaderChain(params, store), now);
}

TEST(ClockCheck, ComplainsOfAClockBehindTheChain) {
  const auto genesis = chain::params(chain::Network::Regtest).genesis.time;
  EXPECT_FALSE(complaint(chain::Network::Regtest, genesis));
  EXPECT_FALSE(complaint(chain::Network::Regtest, util::UnixTime{genesis} - chain::kMaxFutureSeconds));
  const auto said = complaint(chain::Network::Regtest, util::UnixTime{genesis} - chain::kMaxFutureSeconds - 1);
  ASSERT_TRUE(said);
  EXPECT_NE(said->find("block 0"), std::string::npos);
  EXPECT_NE(said->find("set the clock"), std::string::npos);
}

TEST(ClockCheck, KnowsLaterBlocksWithoutAChain) {
  const auto& last = chain::params(chain::Network::Main).start_points.back();
  EXPECT_FALSE(complaint(chain::Network::Main, last.header.time));
  EXPECT_TRUE(complaint(chain::Network::Main, util::UnixTime{last.header.time} - 86'400));
}

}  // namespace
}  // namespace spv::cli
