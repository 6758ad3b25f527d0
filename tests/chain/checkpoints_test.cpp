#include "chain/checkpoints.h"

#include <algorithm>
#include <array>

#include <gtest/gtest.h>

#include "chain/header_chain.h"
#include "chain/pow.h"
#include "tests/support/vectors.h"

namespace spv::chain {
namespace {

constexpr std::array kAllNetworks = {Network::Main, Network::Testnet3, Network::Testnet4, Network::Signet,
                                     Network::Regtest};

TEST(Checkpoints, StartPointsHaveTheirWorkAndAscend) {
  for (const auto network : kAllNetworks) {
    const auto& net = params(network);
    SCOPED_TRACE(net.name);
    Height height = 0;
    Uint256 work = work_of_bits(net.genesis.bits);
    for (const auto& point : net.start_points) {
      EXPECT_TRUE(check_proof_of_work(point.header.hash(), point.header.bits, net)) << point.height;
      EXPECT_TRUE(starts_period(point.height)) << point.height;
      EXPECT_GT(point.height, height);
      // Every block between has at least the work of the easiest.
      const auto between = static_cast<std::uint32_t>(point.height - height);
      EXPECT_GE(point.work, work + work_of_bits(net.pow_limit_bits) * between) << point.height;
      height = point.height;
      work = point.work;
    }
  }
}

TEST(Checkpoints, AscendAndContainTheStartPoints) {
  for (const auto network : kAllNetworks) {
    const auto& net = params(network);
    SCOPED_TRACE(net.name);
    Height last = 0;
    for (const auto& checkpoint : net.checkpoints) {
      EXPECT_GT(checkpoint.height, last);
      last = checkpoint.height;
    }
    for (const auto& point : net.start_points) {
      const bool found = std::any_of(net.checkpoints.begin(), net.checkpoints.end(), [&](const Checkpoint& entry) {
        return entry.height == point.height && entry.hash == point.header.hash();
      });
      EXPECT_TRUE(found) << point.height;
    }
  }
}

TEST(Checkpoints, AreAtMostTwoBatchesOfHeadersApartWhereDifficultyCosts) {
  for (const auto network : {Network::Main, Network::Signet, Network::Testnet4}) {
    Height last = 0;
    for (const auto& checkpoint : params(network).checkpoints) {
      EXPECT_LE(checkpoint.height - last, kRetargetInterval) << params(network).name;
      last = checkpoint.height;
    }
    EXPECT_GT(last, 0);
  }
}

TEST(Checkpoints, KnowBlocksThatEveryoneKnows) {
  const auto has = [](Network network, Height height, std::string_view hash) {
    const auto list = params(network).checkpoints;
    return std::any_of(list.begin(), list.end(), [&](const Checkpoint& entry) {
      return entry.height == height && util::to_string(entry.hash) == hash;
    });
  };
  EXPECT_TRUE(has(Network::Main, 11'111, "0000000069e244f73d78e8fd29ba2fd2ed618bd6fa2ee92559f542fdb26e7c1d"));
  EXPECT_TRUE(has(Network::Main, 2015, "00000000693067b0e6b440bc51450b9f3850561b07f6d3c021c54fbd6abb9763"));
  EXPECT_TRUE(has(Network::Testnet3, 546, "000000002a936ca763904c3c35fce2f3556c559c0214345d31b1bcebf76acb70"));
  EXPECT_TRUE(has(Network::Testnet4, 2015, "00000000962a7fc2ef639196051fe181ed53ac6aa4cdfead14dca90f58aa36bc"));
}

TEST(Checkpoints, AStartPointIsAtOrBelowTheBirthday) {
  for (const auto network : kAllNetworks) {
    const auto& net = params(network);
    EXPECT_FALSE(start_point_before(net, 0));
    for (const auto& point : net.start_points) {
      EXPECT_EQ(start_point_before(net, point.height)->height, point.height);
      const auto below = start_point_before(net, point.height - 1);
      EXPECT_TRUE(!below || below->height < point.height);
    }
  }
  EXPECT_FALSE(start_point_before(params(Network::Testnet4), 100'000));
  EXPECT_FALSE(start_point_before(params(Network::Regtest), 100'000));
}

TEST(Checkpoints, AStartPointIsADayOlderThanTheBirthday) {
  const auto& net = params(Network::Main);
  const auto& point = net.start_points.back();
  const auto day_later = util::UnixTime{point.header.time} + 86'400;
  EXPECT_EQ(start_point_before_time(net, day_later)->height, point.height);
  EXPECT_LT(start_point_before_time(net, day_later - 1)->height, point.height);
  EXPECT_FALSE(start_point_before_time(net, net.genesis.time));
}

TEST(Checkpoints, AChainThatBeginsAtAStartPointHasItsWork) {
  const auto point = start_point_before(params(Network::Main), 900'000).value();
  MemoryHeaderStore store(point.height, point.header, point.work);
  const HeaderChain chain(params(Network::Main), store);
  EXPECT_EQ(chain.base_height(), point.height);
  EXPECT_EQ(chain.work(), point.work);
  EXPECT_EQ(chain.locator(), std::vector{point.header.hash()});
}

/// Electrum publishes the hash of the last block of every period.
void expect_same_hashes(const NetworkParams& net, const boost::json::value& rows) {
  const auto hash_before = [&](Height period_start) {
    const auto index = static_cast<std::size_t>(period_start / kRetargetInterval - 1);
    return std::string(rows.at(index).at(0).as_string());
  };
  for (const auto& point : net.start_points) {
    EXPECT_EQ(util::to_string(point.header.previous), hash_before(point.height)) << point.height;
  }
  for (const auto& checkpoint : net.checkpoints) {
    if (!starts_period(checkpoint.height + 1)) continue;
    EXPECT_EQ(util::to_string(checkpoint.hash), hash_before(checkpoint.height + 1)) << checkpoint.height;
  }
}

TEST(Checkpoints, AreThoseOfElectrumOnMainnet) {
  SPV_VECTOR_FILE_OR_SKIP(path, "checkpoints/electrum_mainnet.json");
  expect_same_hashes(params(Network::Main), test::read_json(path));
}

TEST(Checkpoints, AreThoseOfElectrumOnTestnet3) {
  SPV_VECTOR_FILE_OR_SKIP(path, "checkpoints/electrum_testnet.json");
  expect_same_hashes(params(Network::Testnet3), test::read_json(path));
}

TEST(Checkpoints, AreThoseOfElectrumOnTestnet4) {
  SPV_VECTOR_FILE_OR_SKIP(path, "checkpoints/electrum_testnet4.json");
  expect_same_hashes(params(Network::Testnet4), test::read_json(path));
}

TEST(Checkpoints, AreThoseOfElectrumOnSignet) {
  SPV_VECTOR_FILE_OR_SKIP(path, "checkpoints/electrum_signet.json");
  expect_same_hashes(params(Network::Signet), test::read_json(path));
}

}  // namespace
}  // namespace spv::chain
