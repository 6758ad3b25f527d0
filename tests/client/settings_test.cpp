// What spv::Options means for the engine and the driver, and what makes no sense in it.
#include "client/settings.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/peer_book.h"
#include "tests/support/temp_dir.h"

namespace spv::client {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

const chain::NetworkParams& params() { return chain::params(chain::Network::Regtest); }

Options valid() {
  Options out;
  out.data_dir = "somewhere";
  out.network = NetworkId::Regtest;
  return out;
}

TEST(Settings, HaveOneSetOfDefaults) {
  p2p::AddressBook book;
  const auto engine = engine_options({}, params(), &book);
  EXPECT_TRUE(engine.peers.empty());
  ASSERT_TRUE(engine.book);
  EXPECT_EQ(engine.book->book, &book);
  EXPECT_EQ(engine.book->wanted, 8);
  EXPECT_FALSE(engine.book->reach.onion);
  EXPECT_EQ(engine.fp_rate, bip37::kDefaultFpRate);
  EXPECT_EQ(engine.mempool_wait, 10s);
  EXPECT_EQ(engine.source.mode, sync::SourceMode::Filter);
  EXPECT_EQ(engine.source.max_download, 0);
  EXPECT_EQ(engine.cross_check, sync::CrossCheckMode::Sample);
  EXPECT_TRUE(engine.follow);
  const auto driver = driver_options({});
  EXPECT_FALSE(driver.timeout);
  EXPECT_TRUE(driver.follow);
  EXPECT_EQ(driver.transport, net::TransportChoice::Auto);
  EXPECT_FALSE(driver.plain_on_loopback);
  EXPECT_FALSE(driver.proxy);
  EXPECT_EQ(complaint(valid()), std::nullopt);
}

TEST(Settings, ReachTheEngine) {
  Options options;
  options.peers = {"10.0.0.1", "node.example:7"};
  options.peer_count = 0;
  options.proxy = "127.0.0.1";
  options.fp_rate = 0.01;
  options.mempool_wait = 0ms;
  options.follow = false;
  options.source = Source::Auto;
  options.max_download = 5;
  options.cross_check = CrossCheck::Full;
  p2p::AddressBook book;
  const auto engine = engine_options(options, params(), &book);
  EXPECT_THAT(engine.peers,
              ElementsAre(sync::PeerAddress{"10.0.0.1", params().default_port}, sync::PeerAddress{"node.example", 7}));
  EXPECT_EQ(engine.book->wanted, 1);
  EXPECT_TRUE(engine.book->reach.onion);
  EXPECT_EQ(engine.connect_timeout, 60s);
  EXPECT_EQ(engine.fp_rate, 0.01);
  EXPECT_EQ(engine.mempool_wait, 0s);
  EXPECT_FALSE(engine.follow);
  EXPECT_EQ(engine.source.mode, sync::SourceMode::Auto);
  EXPECT_EQ(engine.source.max_download, 5);
  EXPECT_EQ(engine.cross_check, sync::CrossCheckMode::Full);
  options.cross_check = CrossCheck::Off;
  EXPECT_TRUE(engine_options(options, params(), nullptr).source.or_compact);
  options.only_bloom_filters = true;
  EXPECT_FALSE(engine_options(options, params(), nullptr).source.or_compact);
  options.source = Source::Compact;
  EXPECT_EQ(engine_options(options, params(), nullptr).source.mode, sync::SourceMode::Compact);
  options.source = Source::Filter;
  options.whole_blocks = true;
  EXPECT_EQ(engine_options(options, params(), nullptr).cross_check, sync::CrossCheckMode::Off);
  EXPECT_EQ(engine_options(options, params(), nullptr).source.mode, sync::SourceMode::Blocks);
  EXPECT_FALSE(engine_options(options, params(), nullptr).book);
}

TEST(Settings, ReachTheDriver) {
  Options options;
  options.transport = Transport::V2;
  options.timeout = 3s;
  options.proxy = "10.0.0.2";
  options.clock = [] { return ClockReading{7us, 8}; };
  const auto driver = driver_options(options);
  EXPECT_EQ(driver.transport, net::TransportChoice::V2);
  EXPECT_EQ(driver.timeout, util::Duration(3s));
  ASSERT_TRUE(driver.proxy);
  EXPECT_EQ(driver.proxy->port, 9050);
  EXPECT_NE(driver.proxy->password, driver_options(options).proxy->password) << "no two share a circuit";
  EXPECT_EQ(driver.clock().wall, 8);
  options.transport = Transport::V1;
  EXPECT_EQ(driver_options(options).transport, net::TransportChoice::V1);
}

TEST(Settings, SpeakPlainlyOnThisMachineWhereWholeBlocksMayCome) {
  Options options;
  options.source = Source::Auto;
  EXPECT_TRUE(driver_options(options).plain_on_loopback);
  options.plain_on_loopback = false;
  EXPECT_FALSE(driver_options(options).plain_on_loopback);
  options = {};
  options.whole_blocks = true;
  EXPECT_TRUE(driver_options(options).plain_on_loopback);
  options = {};
  options.plain_on_loopback = true;
  EXPECT_TRUE(driver_options(options).plain_on_loopback);
}

TEST(Settings, AreRefusedWhereTheyMakeNoSense) {
  const auto refused = [](auto change) {
    Options options = valid();
    change(options);
    const auto wrong = complaint(options);
    return wrong && wrong->code == ErrorCode::InvalidArgument;
  };
  EXPECT_TRUE(refused([](Options& o) { o.data_dir.clear(); }));
  EXPECT_TRUE(refused([](Options& o) { o.network = static_cast<NetworkId>(9); }));
  EXPECT_TRUE(refused([](Options& o) { o.transport = static_cast<Transport>(3); }));
  EXPECT_TRUE(refused([](Options& o) { o.cross_check = static_cast<CrossCheck>(-1); }));
  EXPECT_TRUE(refused([](Options& o) { o.source = static_cast<Source>(4); }));
  EXPECT_TRUE(refused([](Options& o) {
    o.whole_blocks = true;
    o.source = Source::Auto;
  }));
  EXPECT_TRUE(refused([](Options& o) { o.fp_rate = std::numeric_limits<double>::quiet_NaN(); }));
  EXPECT_TRUE(refused([](Options& o) { o.peer_count = 126; }));
  EXPECT_TRUE(refused([](Options& o) { o.mempool_wait = -1ms; }));
  EXPECT_TRUE(refused([](Options& o) { o.timeout = -1ms; }));
  EXPECT_TRUE(refused([](Options& o) { o.timeout = std::chrono::milliseconds::max(); }));
  EXPECT_TRUE(refused([](Options& o) { o.peers = {"1.2.3"}; }));
  EXPECT_TRUE(refused([](Options& o) { o.proxy = "1.2.3"; }));
  EXPECT_TRUE(refused([](Options& o) {
    o.proxy = "127.0.0.1";
    o.connector = [](const std::string&, std::uint16_t) { return -1; };
  }));
}

TEST(PeerBook, IsSavedNowAndThenAndNotMoreOften) {
  const test::TempDir folder;
  const auto path = folder.file("peers.dat");
  const util::TimePoint opened{1h};
  PeerBook book(path, params(), {}, opened);
  book.save_if_due(opened + PeerBook::kInterval - 1s);
  EXPECT_FALSE(std::filesystem::exists(path));
  book.save_if_due(opened + PeerBook::kInterval);
  EXPECT_TRUE(std::filesystem::remove(path));
  book.save_if_due(opened + PeerBook::kInterval + 1s);
  EXPECT_FALSE(std::filesystem::exists(path));
  book.save();
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST(PeerBook, SaysInTheLogThatAnotherWritesIt) {
  const test::TempDir folder;
  const auto path = folder.file("peers.dat");
  const PeerBook first(path, params(), {}, {});
  std::string said;
  const PeerBook second(path, params(), [&](util::LogLevel, std::string_view text) { said = text; }, {});
  EXPECT_THAT(said, testing::HasSubstr("another spv writes the address book"));
}

}  // namespace
}  // namespace spv::client
