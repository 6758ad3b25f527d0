#include "cli/commands/sync_settings.h"

#include <gtest/gtest.h>

#include "cli/error.h"

namespace spv::cli {
namespace {

using namespace std::chrono_literals;

TEST(SyncSettings, AreThoseOfTheLibraryButEndAtTheTip) {
  const auto settings = settings_of({}, {});
  const Options defaults;
  EXPECT_FALSE(settings.follow);
  EXPECT_EQ(settings.network, NetworkId::Testnet4) << "the library has none";
  EXPECT_EQ(settings.peer_count, defaults.peer_count);
  EXPECT_EQ(settings.fp_rate, bip37::kDefaultFpRate) << "what the library takes a rate of 0 for";
  EXPECT_EQ(settings.mempool_wait, 30s) << "what comes after the end of a command is missed";
  EXPECT_EQ(settings.transport, defaults.transport);
  EXPECT_EQ(settings.cross_check, defaults.cross_check);
  EXPECT_EQ(settings.source, defaults.source);
  EXPECT_EQ(settings.max_download, defaults.max_download);
  EXPECT_EQ(settings.plain_on_loopback, defaults.plain_on_loopback);
  EXPECT_EQ(settings.timeout, defaults.timeout);
}

TEST(SyncSettings, HaveWhatTheCommandLineSays) {
  CommonOptions common;
  common.network = chain::Network::Testnet3;
  SyncOptions options;
  options.connect = {"10.0.0.1", "node.example:7"};
  options.peers = 3;
  options.proxy = "127.0.0.1";
  options.fp_rate = 0.01;
  options.mempool_wait = 0.0001;
  options.follow = true;
  options.timeout = 2.5;
  options.transport = "v2";
  options.cross_check = "full";
  options.source = "auto";
  options.max_download = 5;
  const auto settings = settings_of(common, options);
  EXPECT_EQ(settings.network, NetworkId::Testnet);
  EXPECT_EQ(settings.peers, options.connect);
  EXPECT_EQ(settings.peer_count, 3);
  EXPECT_EQ(settings.proxy, "127.0.0.1");
  EXPECT_EQ(settings.fp_rate, 0.01);
  EXPECT_EQ(settings.mempool_wait, 1ms) << "rounded down it would mean that nobody is asked";
  EXPECT_TRUE(settings.follow);
  EXPECT_EQ(settings.timeout, 2500ms);
  EXPECT_EQ(settings.transport, Transport::V2);
  EXPECT_EQ(settings.cross_check, CrossCheck::Full);
  EXPECT_EQ(settings.source, Source::Auto);
  EXPECT_EQ(settings.max_download, 5);
}

TEST(SyncSettings, RefuseAddressesThatCannotBeReached) {
  SyncOptions options;
  options.connect = {"1.2.3"};
  EXPECT_THROW(settings_of({}, options), UsageError);
  options.connect = {"2gzyxa5ihm7nsggfxnu52rck2vv4rvmdlkiu3zzui5du4xyclen53wid.onion"};
  EXPECT_THROW(settings_of({}, options), UsageError);
  options.proxy = "127.0.0.1";
  EXPECT_NO_THROW(settings_of({}, options));
  options.proxy = "not an address";
  EXPECT_THROW(settings_of({}, options), UsageError);
}

}  // namespace
}  // namespace spv::cli
