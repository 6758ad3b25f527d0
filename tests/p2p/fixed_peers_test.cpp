#include "p2p/fixed_peers.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "p2p/net_address.h"

namespace spv::p2p {
namespace {

constexpr std::array kKnown = {chain::Network::Main, chain::Network::Testnet4, chain::Network::Signet};

TEST(FixedPeers, E5_AreFewPublicAddressesOfManyGroups) {
  for (const auto network : kKnown) {
    std::set<std::string> groups;
    std::size_t clear = 0;
    for (const auto host : fixed_peers(network)) {
      const auto address = parse_net_address(host, 8333);  // checks an onion's checksum too
      ASSERT_TRUE(address) << host;
      EXPECT_TRUE(is_public(*address)) << host;
      EXPECT_EQ(host_of(*address), host);
      if (address->network == AddressNetwork::TorV3) continue;
      ++clear;
      EXPECT_TRUE(groups.insert(group_of(*address)).second) << host;
    }
    EXPECT_GE(clear, 16U);
    EXPECT_GE(fixed_peers(network).size(), clear + 4);  // onion services
    EXPECT_LE(fixed_peers(network).size(), 32U);
  }
}

TEST(FixedPeers, ThereAreNoneWhereNoneAreKnown) {
  EXPECT_TRUE(fixed_peers(chain::Network::Testnet3).empty());
  EXPECT_TRUE(fixed_peers(chain::Network::Regtest).empty());
}

}  // namespace
}  // namespace spv::p2p
