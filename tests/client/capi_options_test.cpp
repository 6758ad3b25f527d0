// The options of the C ABI that `spv sync` has too: each test fails if the library passes over it.
#include <chrono>
#include <spv/spv.h>
#include <string>

#include <gtest/gtest.h>

#include "chain/header_chain.h"
#include "store/header_file.h"
#include "tests/support/chain_builder.h"
#include "tests/support/faults.h"
#include "tests/support/loopback_server.h"
#include "tests/support/socks5_server.h"
#include "tests/support/temp_dir.h"

namespace spv::test {
namespace {

constexpr const char* kWatched = "addr(bcrt1qqyqszqgpqyqszqgpqyqszqgpqyqszqgpvxat9t)";
constexpr int kBlocks = 300;

class CapiOptions : public testing::Test {
 protected:
  CapiOptions() : node_(ChainBuilder().blocks(kBlocks)), server_(serve_node(node_)) { use({address_of(server_)}); }

  static std::string address_of(const LoopbackServer& server) { return "127.0.0.1:" + std::to_string(server.port()); }
  void use(std::vector<std::string> peers) {
    peers_ = std::move(peers);
    texts_.clear();
    for (const auto& peer : peers_) texts_.push_back(peer.c_str());
  }
  /// For a data folder that is new each time.
  spv_options options() {
    data_dir_ = folder_.file("data" + std::to_string(++runs_));
    spv_options out{};
    out.struct_size = sizeof out;
    out.data_dir = data_dir_.c_str();
    out.network = SPV_NETWORK_REGTEST;
    out.peers = texts_.data();
    out.peer_count = texts_.size();
    out.mempool_wait_ms = -1;
    out.once = 1;
    return out;
  }
  /// The code with which a sync ends, or is refused.
  static int end_of(const spv_options& given) {
    spv_client* client = nullptr;
    int code = spv_open(&given, &client);
    if (code == SPV_OK) code = spv_wallet_watch(client, "one", &kWatched, 1, nullptr);
    if (code == SPV_OK) code = spv_start(client);
    spv_event event{};
    event.struct_size = sizeof event;
    while (code == SPV_OK && event.type != SPV_EVENT_STOPPED) code = spv_next_event(client, 20'000, &event);
    if (code == SPV_OK) code = event.code;
    spv_close(client);
    return code;
  }
  int connections_of(const spv_options& given) {
    const int before = server_.connections();
    EXPECT_EQ(end_of(given), SPV_OK);
    return server_.connections() - before;
  }

  TempDir folder_;
  FakeNode node_;
  LoopbackServer server_;

 private:
  int runs_ = 0;
  std::string data_dir_;
  std::vector<std::string> peers_;
  std::vector<const char*> texts_;
};

// The node does not know the encrypted transport: where that is tried first, a second connection follows.
TEST_F(CapiOptions, HaveNoNetworkByDefault) {
  auto given = options();
  given.network = 0;
  EXPECT_EQ(end_of(given), SPV_ERR_INVALID_ARGUMENT);
}

TEST_F(CapiOptions, SpeakTheTransportThatIsAskedFor) {
  auto given = options();
  EXPECT_EQ(connections_of(given), 2);
  given = options();
  given.transport = SPV_TRANSPORT_V1;
  EXPECT_EQ(connections_of(given), 1);
  given = options();
  given.transport = SPV_TRANSPORT_V2;
  EXPECT_EQ(end_of(given), SPV_ERR_NETWORK);
}

TEST_F(CapiOptions, SpeakPlainlyWithANodeOnThisMachineIfThatIsWanted) {
  auto given = options();
  given.plain_on_loopback = 1;
  EXPECT_EQ(connections_of(given), 1);
  given = options();
  given.source = SPV_SOURCE_BLOCKS;
  EXPECT_EQ(connections_of(given), 1);
  given = options();
  given.source = SPV_SOURCE_BLOCKS;
  given.plain_on_loopback = -1;
  EXPECT_EQ(connections_of(given), 2);
}

TEST_F(CapiOptions, AskASecondPeerForAsManyBlocksAsIsWanted) {
  FakeNode other(ChainBuilder().blocks(kBlocks));
  const LoopbackServer other_server(serve_node(other));
  use({address_of(server_), address_of(other_server)});
  const auto asked_with = [&](int check) {
    const int before = node_.seen.filtered_blocks_asked() + other.seen.filtered_blocks_asked();
    auto given = options();
    given.cross_check = check;
    given.transport = SPV_TRANSPORT_V1;
    EXPECT_EQ(end_of(given), SPV_OK);
    return node_.seen.filtered_blocks_asked() + other.seen.filtered_blocks_asked() - before;
  };
  EXPECT_LT(asked_with(SPV_CROSS_CHECK_OFF), kBlocks * 5 / 4);
  EXPECT_GT(asked_with(SPV_CROSS_CHECK_FULL), kBlocks * 7 / 4);
}

TEST_F(CapiOptions, TakeWholeBlocksWhereAutoMayHaveThem) {
  const auto whole_with = [&](const spv_options& given) {
    node_.seen.whole_blocks.clear();
    EXPECT_EQ(end_of(given), SPV_OK);
    return node_.seen.whole_blocks.size();
  };
  EXPECT_EQ(whole_with(options()), 0);
  auto given = options();
  given.source = SPV_SOURCE_AUTO;
  EXPECT_GT(whole_with(given), 0);
  Socks5Server proxy;
  proxy.map("1.2.3.4", 18444, server_.port());
  const std::string proxy_address = proxy.address();
  use({"1.2.3.4:18444"});
  for (const bool allowed : {false, true}) {
    given = options();
    given.source = SPV_SOURCE_AUTO;
    given.proxy = proxy_address.c_str();
    given.transport = SPV_TRANSPORT_V1;
    given.max_download = allowed ? 1'000'000'000 : 0;
    EXPECT_EQ(whole_with(given) > 0, allowed);
  }
}

TEST_F(CapiOptions, EndASyncWhoseTimeIsUp) {
  node_.add_fault(faults::stall_after(5));
  auto given = options();
  given.timeout_ms = 300;
  EXPECT_EQ(end_of(given), SPV_ERR_TIMEOUT);
}

TEST_F(CapiOptions, RefuseToStartWithAClockBehindTheChain) {
  for (const bool skip : {false, true}) {
    auto given = options();
    given.skip_clock_check = skip ? 1 : 0;
    spv_client* client = nullptr;
    ASSERT_EQ(spv_open(&given, &client), SPV_OK) << spv_last_error(client);
    {
      // A block of tomorrow.
      const auto tomorrow = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()) + 86'400;
      const auto blocks = ChainBuilder().next_time(static_cast<std::uint32_t>(tomorrow)).blocks(1).headers();
      const auto& params = chain::params(chain::Network::Regtest);
      const auto file = store::HeaderFile::open(std::string(given.data_dir) + "/regtest/headers.dat", params);
      chain::HeaderChain chain(params, *file);
      static_cast<void>(chain.accept(blocks, tomorrow));
      ASSERT_EQ(chain.height(), 1);
    }
    ASSERT_EQ(spv_wallet_watch(client, "one", &kWatched, 1, nullptr), SPV_OK) << spv_last_error(client);
    EXPECT_EQ(spv_start(client), skip ? SPV_OK : SPV_ERR_CLOCK);
    const std::string said = spv_last_error(client);
    EXPECT_EQ(said.find("set the clock") == std::string::npos, skip) << said;
    spv_close(client);
  }
  EXPECT_STREQ(spv_error_name(SPV_ERR_CLOCK), "clock");
}

TEST_F(CapiOptions, AreRefusedWhereTheyMakeNoSense) {
  const auto refused = [&](auto change) {
    auto given = options();
    change(given);
    return end_of(given) == SPV_ERR_INVALID_ARGUMENT;
  };
  EXPECT_TRUE(refused([](spv_options& o) { o.transport = 3; }));
  EXPECT_TRUE(refused([](spv_options& o) { o.cross_check = -1; }));
  EXPECT_TRUE(refused([](spv_options& o) { o.source = 4; }));
  EXPECT_TRUE(refused([](spv_options& o) { o.plain_on_loopback = 2; }));
  EXPECT_TRUE(refused([](spv_options& o) { o.timeout_ms = -1; }));
  EXPECT_TRUE(refused([](spv_options& o) { o.reserved = 1; }));
}

// A program that was compiled against the header before these options were added.
TEST_F(CapiOptions, AreTheDefaultsForAnOlderProgram) {
  auto given = options();
  given.struct_size = offsetof(spv_options, transport);
  given.transport = 77;  // not its own any more
  EXPECT_EQ(connections_of(given), 2);
}

}  // namespace
}  // namespace spv::test
