// What a summary warns of, as a function of peers, chain and clock.
#include "sync/engine/warnings.h"

#include <gmock/gmock.h>

namespace spv::sync {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class WarningsTest : public testing::Test {
 protected:
  std::vector<std::string> warnings(const PeerPool& pool) {
    return describe_warnings(pool, chain_, blocks_, birthday_, now_.wall);
  }
  /// A pool over these, of which those in `ready` have shaken hands.
  PeerPool pool_of(std::vector<PeerAddress> addresses, std::vector<PeerId> ready) {
    PeerPool pool(std::move(addresses), false);
    Outbox out;
    pool.connect_due(now_, rng_, out);
    for (const PeerId id : ready) {
      pool.on_connected(id, 1, now_, out);
      p2p::Version version;
      version.nonce = 99;
      version.services = p2p::services::kNetwork;
      version.user_agent = "/node/";
      pool.find(id)->session->handle(version, now_);
      pool.find(id)->session->handle(p2p::Verack{}, now_);
      pool.note_user_agent(*pool.find(id));
    }
    return pool;
  }

  util::Rng rng_{3};
  chain::NetworkParams params_ = chain::params(chain::Network::Regtest);
  chain::MemoryHeaderStore store_{0, params_.genesis, 2};
  chain::HeaderChain chain_{params_, store_};
  util::Now now_{.monotonic = {}, .wall = std::int64_t{params_.genesis.time} + 3 * 3'600};
  CheckedBlocks blocks_;
  chain::Height birthday_ = 0;
};

TEST_F(WarningsTest, NothingIsSaidWhereAllIsWell) { EXPECT_THAT(warnings(pool_of({{"a", 1}}, {1})), IsEmpty()); }

TEST_F(WarningsTest, APeerThatClaimsMoreThanItServesIsNamed) {
  auto pool = pool_of({{"a", 1}, {"b", 2}}, {1, 2});
  pool.note_doubt(2, doubt_text({.claimed = 130, .shown = 119}));
  EXPECT_THAT(warnings(pool), ElementsAre("peer b:2 claims block 130, but serves headers only up to block 119 (another "
                                          "chain, or still syncing)"));
  pool.note_doubt(2, "");
  EXPECT_THAT(warnings(pool), IsEmpty());
}

TEST_F(WarningsTest, APeerOfTheUsersThatIsDownIsNamed) {
  auto pool = pool_of({{"a", 1}, {"b", 2}, {"c", 3}}, {1});
  pool.on_lost(2, "Connection refused", std::nullopt, now_, rng_);
  EXPECT_THAT(warnings(pool),
              ElementsAre("peer b:2 is not connected: Connection refused", "peer c:3 is not connected: no answer"));
}

TEST_F(WarningsTest, AnOldTipIsSuspiciousWhereBlocksComeByThemselves) {
  params_.stale_tip_seconds = 3 * 3'600;
  EXPECT_THAT(warnings(pool_of({}, {})), IsEmpty()) << "three hours are not more than three hours";
  ++now_.wall;
  EXPECT_THAT(warnings(pool_of({}, {})), ElementsAre(HasSubstr("best block (0) is 3 hours old")));
  now_.wall += 86'400 * 3;
  EXPECT_THAT(warnings(pool_of({}, {})), ElementsAre(HasSubstr("is 3 days old")));
}

TEST_F(WarningsTest, EveryNetworkButRegtestHasAnAgeOfThreeHours) {
  using chain::Network;
  for (const auto network : {Network::Main, Network::Testnet3, Network::Testnet4, Network::Signet}) {
    EXPECT_EQ(chain::params(network).stale_tip_seconds, 3 * 3'600);
  }
  EXPECT_EQ(chain::params(Network::Regtest).stale_tip_seconds, 0);
}

TEST_F(WarningsTest, ABirthdayAboveTheTipIsSaid) {
  birthday_ = 1;
  EXPECT_THAT(warnings(pool_of({}, {})), IsEmpty()) << "a wallet that begins with the next block is a new one";
  birthday_ = 5'000;
  EXPECT_THAT(warnings(pool_of({}, {})), ElementsAre(HasSubstr("birthday (block 5000) is above the best block (0)")));
}

TEST_F(WarningsTest, AFullCheckNeedsTwoPeers) {
  blocks_ = {CrossCheckMode::Full, 103, 0};
  EXPECT_THAT(warnings(pool_of({}, {})), ElementsAre(HasSubstr("at least two peers: 103 of 103 blocks")));
  blocks_.checked = 103;
  EXPECT_THAT(warnings(pool_of({}, {})), IsEmpty());
  blocks_ = {CrossCheckMode::Sample, 103, 0};
  EXPECT_THAT(warnings(pool_of({}, {})), IsEmpty());
}

}  // namespace
}  // namespace spv::sync
