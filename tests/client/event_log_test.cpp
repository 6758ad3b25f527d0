// The event log of the library: every change once, whatever happens between the wallets' files and the log.
#include <future>
#include <spv/spv.h>

#include "tests/client/client_fixture.h"

namespace spv::test {
namespace {

class EventLogOfClient : public ClientTest {
 protected:
  /// Lines such as "3 one confirmed 5000".
  static std::vector<std::string> lines(const Result<std::vector<LoggedEvent>>& events) {
    static constexpr const char* kStates[]{"unconfirmed", "confirmed", "conflicted",
                                           "forgotten",   "locked",    "abandoned"};
    std::vector<std::string> out;
    if (!events) return {events.error().message};
    for (const auto& each : *events) {
      const auto& told = *each.transaction();
      out.push_back(std::to_string(each.seq) + ' ' + told.wallet + ' ' + kStates[static_cast<int>(told.state)] + ' ' +
                    std::to_string(told.net));
    }
    return out;
  }
  using Lines = std::vector<std::string>;
  std::filesystem::path log_file() { return folder_.file("data") + "/regtest/events.sqlite"; }
};

TEST_F(EventLogOfClient, HasEachEventOnceThroughRestartsAndByWallet) {
  {
    Client client = open();
    ASSERT_TRUE(client.watch_wallet("one", watching(1)));
    EXPECT_EQ(lines(client.events(0, 10)), Lines{});
    sync(client);
    EXPECT_EQ(lines(client.events(0, 10)), Lines{"1 one confirmed 5000"});
  }
  Client client = open();
  ASSERT_TRUE(client.open_wallet("one"));
  ASSERT_TRUE(client.watch_wallet("again", watching(1)));
  sync(client);
  EXPECT_EQ(lines(client.events(0, 10)), (Lines{"1 one confirmed 5000", "2 again confirmed 5000"}));
  EXPECT_EQ(lines(client.events(1, 10)), Lines{"2 again confirmed 5000"});
  EXPECT_EQ(lines(client.events(0, 10, "again")), Lines{"2 again confirmed 5000"});
  EXPECT_EQ(lines(client.events(0, 1)), Lines{"1 one confirmed 5000"});
  const auto told = *client.events(0, 1)->at(0).transaction();
  EXPECT_EQ(told.height, 11);
  EXPECT_EQ(told.block.size(), 64U);
  ASSERT_EQ(told.outputs.size(), 1U);
  EXPECT_EQ(told.outputs[0].amount, 5'000);
  EXPECT_EQ(told.outputs[0].address, address(1));
}

// As after a crash between the commit of the wallet and that of the log.
TEST_F(EventLogOfClient, TakesOverWhatTheWalletsFileHas) {
  {
    Client client = open();
    ASSERT_TRUE(client.watch_wallet("one", watching(1)));
    sync(client);
  }
  for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(log_file().string() + suffix);
  Client client = open();
  EXPECT_EQ(lines(client.events(0, 10)), Lines{});
  ASSERT_TRUE(client.open_wallet("one"));
  EXPECT_EQ(lines(client.events(0, 10)), Lines{"1 one confirmed 5000"});
}

TEST_F(EventLogOfClient, KeepsThePositionsOfConsumers) {
  {
    Client client = open();
    ASSERT_TRUE(client.watch_wallet("one", watching(1)));
    sync(client);
    EXPECT_EQ(*client.consumer_position("billing"), 0);
    EXPECT_EQ(client.acknowledge("billing", 2).error().code, ErrorCode::InvalidArgument) << "no such event yet";
    EXPECT_EQ(client.acknowledge("../x", 1).error().code, ErrorCode::InvalidArgument);
    ASSERT_TRUE(client.acknowledge("billing", 1));
    ASSERT_TRUE(client.acknowledge("billing", 0)) << "which changes nothing";
  }
  Client client = open();
  EXPECT_EQ(*client.consumer_position("billing"), 1);
}

TEST_F(EventLogOfClient, WakesWhoWaits) {
  Client client = open();
  ASSERT_TRUE(client.watch_wallet("one", watching(1)));
  EXPECT_EQ(lines(client.wait_events(0, 10, 1ms)), Lines{});
  auto waiting = std::async(std::launch::async, [&] { return lines(client.wait_events(0, 10, 20s)); });
  sync(client);
  EXPECT_EQ(waiting.get(), Lines{"1 one confirmed 5000"});
}

TEST_F(EventLogOfClient, SpeaksC) {
  {
    Client client = open();
    ASSERT_TRUE(client.watch_wallet("one", watching(1)));
    sync(client);
  }
  const std::string data_dir = folder_.file("data");
  spv_options given{};
  given.struct_size = sizeof given;
  given.data_dir = data_dir.c_str();
  given.network = SPV_NETWORK_REGTEST;
  spv_client* client = nullptr;
  ASSERT_EQ(spv_open(&given, &client), SPV_OK);
  spv_list* list = nullptr;
  ASSERT_EQ(spv_get_events(client, 0, 10, 0, nullptr, &list), SPV_OK) << spv_last_error(client);
  ASSERT_EQ(spv_list_size(list), 1U);
  spv_logged_event event{};
  event.struct_size = sizeof event;
  ASSERT_EQ(spv_logged_event_at(list, 0, &event), SPV_OK);
  EXPECT_EQ(event.seq, 1);
  EXPECT_STREQ(event.wallet, "one");
  EXPECT_EQ(event.state, SPV_TX_EVENT_CONFIRMED);
  EXPECT_EQ(event.net, 5'000);
  EXPECT_EQ(event.height, 11);
  ASSERT_EQ(event.output_count, 1U);
  spv_paid_output paid{};
  paid.struct_size = sizeof paid;
  ASSERT_EQ(spv_logged_output_at(list, 0, 0, &paid), SPV_OK);
  EXPECT_EQ(paid.address, address(1));
  EXPECT_EQ(spv_logged_output_at(list, 0, 1, &paid), SPV_ERR_NOT_FOUND);
  spv_list_free(list);
  std::int64_t seq = -1;
  EXPECT_EQ(spv_consumer_acknowledge(client, "billing", 1), SPV_OK);
  EXPECT_EQ(spv_consumer_position(client, "billing", &seq), SPV_OK);
  EXPECT_EQ(seq, 1);
  spv_close(client);
}

}  // namespace
}  // namespace spv::test
