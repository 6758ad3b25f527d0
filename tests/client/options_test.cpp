// Every option of a sync that `spv sync` has too: each test fails if the library passes over it.
#include <atomic>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/peer_book.h"
#include "p2p/net_address.h"
#include "store/address_book_file.h"
#include "tests/client/client_fixture.h"

namespace spv::test {
namespace {

/// Not on the local network; only the connector is asked for it.
constexpr const char* kFarAway = "1.2.3.4:18444";

class ClientOptions : public ClientTest {
 protected:
  /// Syncs the wallet "one", in a data folder of its own; gives how it ended.
  StoppedEvent end_of(Options given) {
    given.data_dir = folder_.file("data" + std::to_string(++runs_));
    Client client = std::move(*Client::open(given));
    EXPECT_TRUE(client.watch_wallet("one", watching(1)));
    const auto started = client.start();
    if (!started) return {static_cast<int>(started.error().code), started.error().message};
    return wait_for<StoppedEvent>(client).value_or(StoppedEvent{1, "nothing was said"});
  }
  /// How many connections it takes.
  int connections_of(const Options& given) {
    const int before = server_.connections();
    const auto end = end_of(given);
    EXPECT_EQ(end.code, 0) << end.message;
    return server_.connections() - before;
  }

 private:
  int runs_ = 0;
};

// The node does not know the encrypted transport: where that is tried first, a second connection follows.
TEST_F(ClientOptions, HaveNoNetworkByDefault) {
  Options given;
  given.data_dir = folder_.file("unset");
  const auto refused = Client::open(given);
  EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
  EXPECT_NE(refused.error().message.find("no network is set"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(given.data_dir));
}

TEST_F(ClientOptions, SpeakTheTransportThatIsAskedFor) {
  auto given = options();
  EXPECT_EQ(connections_of(given), 2);
  given.transport = Transport::V1;
  EXPECT_EQ(connections_of(given), 1);
  given.transport = Transport::V2;
  EXPECT_EQ(end_of(given).code, static_cast<int>(ErrorCode::Network));
}

TEST_F(ClientOptions, SpeakPlainlyWithANodeOnThisMachineIfThatIsWanted) {
  auto given = options();
  given.plain_on_loopback = true;
  EXPECT_EQ(connections_of(given), 1);
  given = options();
  given.whole_blocks = true;
  EXPECT_EQ(connections_of(given), 1) << "whole blocks are many bytes";
  given.plain_on_loopback = false;
  EXPECT_EQ(connections_of(given), 2);
}

TEST_F(ClientOptions, AskASecondPeerForAsManyBlocksAsIsWanted) {
  const auto asked_with = [&](CrossCheck check) {
    FakeNode first(paid_chain());
    FakeNode second(paid_chain());
    const LoopbackServer first_server(serve_node(first));
    const LoopbackServer second_server(serve_node(second));
    auto given = options();
    given.peers = {"127.0.0.1:" + std::to_string(first_server.port()),
                   "127.0.0.1:" + std::to_string(second_server.port())};
    given.transport = Transport::V1;
    given.cross_check = check;
    EXPECT_EQ(end_of(given).code, 0);
    return first.seen.filtered_blocks_asked() + second.seen.filtered_blocks_asked();
  };
  EXPECT_EQ(asked_with(CrossCheck::Off), 23) << "blocks 0 to 22";
  EXPECT_EQ(asked_with(CrossCheck::Full), 46);
}

TEST_F(ClientOptions, TakeWholeBlocksWhereAutoMayHaveThem) {
  FakeNode node(ChainBuilder().blocks(300));
  const LoopbackServer server(serve_node(node));
  auto given = options();
  given.transport = Transport::V1;
  given.peers = {"127.0.0.1:" + std::to_string(server.port())};
  EXPECT_EQ(end_of(given).code, 0);
  EXPECT_TRUE(node.seen.whole_blocks.empty());
  given.source = Source::Auto;
  EXPECT_EQ(end_of(given).code, 0);
  EXPECT_FALSE(node.seen.whole_blocks.empty());
  node.seen.whole_blocks.clear();
  given.peers = {kFarAway};
  given.connector = [&](const std::string&, std::uint16_t) { return connect_to(server.port()); };
  EXPECT_EQ(end_of(given).code, 0);
  EXPECT_TRUE(node.seen.whole_blocks.empty()) << "nothing may be downloaded from afar";
  given.max_download = 1'000'000'000;
  EXPECT_EQ(end_of(given).code, 0);
  EXPECT_FALSE(node.seen.whole_blocks.empty());
}

TEST_F(ClientOptions, EndASyncWhoseTimeIsUp) {
  const auto stalls = stall_after(5);
  auto given = options();
  given.timeout = 300ms;
  const auto end = end_of(given);
  EXPECT_EQ(end.code, static_cast<int>(ErrorCode::Timeout));
  EXPECT_THAT(end.message, testing::HasSubstr("timed out"));
  given.follow = true;
  *stalls = false;
  EXPECT_EQ(end_of(given).code, static_cast<int>(ErrorCode::Timeout)) << "at the tip too";
}

TEST_F(ClientOptions, CountTheTimeOverAChangeOfTheNetwork) {
  auto given = options();
  given.follow = true;
  given.timeout = 1s;
  Client client = std::move(*Client::open(given));
  ASSERT_TRUE(client.watch_wallet("one", watching(1)));
  ASSERT_TRUE(client.start());
  for (int i = 0; i < 100 && client.running(); ++i) {
    std::this_thread::sleep_for(100ms);
    EXPECT_TRUE(client.network_changed());
  }
  EXPECT_FALSE(client.running());
  ASSERT_TRUE(client.resume()) << "with the same time again";
  EXPECT_TRUE(client.running());
}

TEST_F(ClientOptions, RefuseToStartWithAClockBehindTheChain) {
  auto given = options();
  ASSERT_EQ(end_of(given).code, 0);
  std::filesystem::copy(folder_.file("data1"), folder_.file("data"), std::filesystem::copy_options::recursive);
  given.clock = [] {
    const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
    return ClockReading{std::chrono::duration_cast<std::chrono::microseconds>(since_start), kGenesisTime};
  };
  {
    Client client = std::move(*Client::open(given));
    ASSERT_TRUE(client.open_wallet("one"));
    const auto started = client.start();
    ASSERT_FALSE(started);
    EXPECT_EQ(started.error().code, ErrorCode::Clock);
    EXPECT_THAT(started.error().message,
                testing::HasSubstr("the clock says 2011-02-02 23:16 UTC, but block 22 is from"));
    EXPECT_FALSE(client.running());
  }
  given.check_clock = false;
  Client client = std::move(*Client::open(given));
  ASSERT_TRUE(client.open_wallet("one"));
  EXPECT_TRUE(client.start());
}

TEST_F(ClientOptions, SaveTheAddressBookNowAndThen) {
  const auto path = folder_.file("data/regtest/peers.dat");
  auto given = options();
  given.peers.clear();
  given.follow = true;
  const auto ahead = std::make_shared<std::atomic<std::int64_t>>(0);
  given.clock = [ahead] {
    const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
    return ClockReading{
        std::chrono::duration_cast<std::chrono::microseconds>(since_start) + std::chrono::seconds(*ahead),
        1'700'000'000};
  };
  Client client = std::move(*Client::open(given));
  ASSERT_TRUE(client.watch_wallet("one", watching(1)));
  {
    const auto& params = chain::params(chain::Network::Regtest);
    client::PeerBook book(path, params, {}, {});
    util::Rng rng(util::Rng::Seed{});
    ASSERT_TRUE(book.book().add(*p2p::parse_net_address("127.0.0.1", server_.port()), 0, p2p::Origin::User, "",
                                1'699'000'000, rng));
    book.save();
  }
  ASSERT_TRUE(client.start());
  ASSERT_TRUE(wait_for<SyncedEvent>(client)) << "the peer is that of the book";
  ASSERT_TRUE(std::filesystem::remove(path));
  *ahead = 6 * 60;
  for (int i = 0; i < 200 && !std::filesystem::exists(path); ++i) std::this_thread::sleep_for(50ms);
  EXPECT_TRUE(std::filesystem::exists(path));
  EXPECT_TRUE(client.running());
}

}  // namespace
}  // namespace spv::test
