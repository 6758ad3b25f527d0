// The event log of the library: every change once, whatever happens between the wallets' files and the log.
#include <cstddef>
#include <future>
#include <spv/spv.h>

#include "client/open_wallet.h"
#include "tests/client/client_fixture.h"
#include "tests/support/tx_builder.h"
#include "util/hex.h"

namespace spv::test {
namespace {

class EventLogOfClient : public ClientTest {
 protected:
  static std::string line(const TransactionEvent& told) {
    static constexpr const char* kStates[]{"unconfirmed", "confirmed", "conflicted",
                                           "forgotten",   "locked",    "abandoned"};
    return told.wallet + ' ' + kStates[static_cast<int>(told.state)] + ' ' + std::to_string(told.net);
  }
  static std::string line(const TipEvent& tip) { return "tip " + std::to_string(tip.height); }
  static std::string line(const ReorganisationEvent& reorg) { return "reorg " + std::to_string(reorg.fork_height); }
  static std::string line(const WalletEvent& told) {
    static constexpr const char* kStates[]{"added", "synced", "removed"};
    return told.wallet + ' ' + kStates[static_cast<int>(told.state)];
  }
  using Lines = std::vector<std::string>;
  /// Such as "3 one confirmed 5000", "4 tip 22", "5 one synced".
  static Lines lines(const Result<std::vector<LoggedEvent>>& events) {
    if (!events) return {events.error().message};
    Lines out;
    for (const auto& each : *events) {
      out.push_back(std::to_string(each.seq) + ' ' +
                    std::visit([](const auto& event) { return line(event); }, each.event));
    }
    return out;
  }
  std::filesystem::path log_file() { return folder_.file("data") + "/regtest/events.sqlite"; }
  /// What a command does to a wallet beside the client.
  template <typename Change>
  void change(const std::string& name, Change how) {
    const auto store = client::make_store({folder_.file("data"), chain::Network::Regtest}, chain::Network::Regtest);
    auto open = client::open_wallet(store, name, store::Access::Write);
    client::commit_changes(open, how(open.wallet), 1'700'000'000);
  }
};

TEST_F(EventLogOfClient, HasEachEventOnceThroughRestartsAndByWallet) {
  const Lines first{"1 one added", "2 one confirmed 5000", "3 tip 22", "4 one synced"};
  {
    Client client = open();
    ASSERT_TRUE(client.watch_wallet("one", watching(1)));
    EXPECT_EQ(lines(client.events(0, 10)), Lines{"1 one added"});
    sync(client);
    EXPECT_EQ(lines(client.events(0, 10)), first);
    sync(client);
    EXPECT_EQ(lines(client.events(0, 10)), first);
  }
  Client client = open();
  ASSERT_TRUE(client.open_wallet("one"));
  ASSERT_TRUE(client.watch_wallet("again", watching(1)));
  sync(client);
  const Lines second{"5 again added", "6 again confirmed 5000", "7 again synced"};
  EXPECT_EQ(lines(client.events(0, 4)), first);
  EXPECT_EQ(lines(client.events(4, 10)), second);
  EXPECT_EQ(lines(client.events(0, 10, "again")), second);
  EXPECT_EQ(lines(client.events(0, 1)), Lines{"1 one added"});
  const auto told = *client.events(1, 1)->at(0).transaction();
  EXPECT_EQ(told.height, 11);
  EXPECT_EQ(told.block.size(), 64U);
  ASSERT_EQ(told.outputs.size(), 1U);
  EXPECT_EQ(told.outputs[0].amount, 5'000);
  EXPECT_EQ(told.outputs[0].address, address(1));
  EXPECT_EQ(std::get<TipEvent>(client.events(2, 1)->at(0).event).hash, util::to_string(node_.chain().tip().hash));
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
  EXPECT_EQ(lines(client.events(0, 10)), (Lines{"1 one added", "2 one confirmed 5000", "3 one synced"}));
}

TEST_F(EventLogOfClient, HasAReorganisationWithItsFork) {
  Client client = open();
  ASSERT_TRUE(client.watch_wallet("one", watching(1)));
  sync(client);
  const auto old = node_.chain().tip();
  node_.set_chain(paid_chain().at_height(10).blocks(13));
  sync(client);
  EXPECT_EQ(lines(client.events(4, 10)), (Lines{"5 one unconfirmed 5000", "6 reorg 10", "7 tip 23"}));
  const auto reorg = std::get<ReorganisationEvent>(client.events(5, 1)->at(0).event);
  EXPECT_EQ(reorg.from, util::to_string(old.hash));
  EXPECT_EQ(reorg.to, util::to_string(node_.chain().tip().hash));
}

TEST_F(EventLogOfClient, ARescanTellsThatItIsSyncedAndNoTransactionAgain) {
  {
    Client client = open();
    ASSERT_TRUE(client.watch_wallet("one", watching(1)));
    sync(client);
  }
  change("one", [](wallet::Wallet& wallet) { return wallet.rescan(5); });
  Client client = open();
  ASSERT_TRUE(client.open_wallet("one"));
  EXPECT_EQ(lines(client.events(4, 10)), Lines{});
  sync(client);
  EXPECT_EQ(client.status("one")->scanned_to, 22);
  EXPECT_EQ(lines(client.events(4, 10)), Lines{"5 one synced"});
}

TEST_F(EventLogOfClient, HasWhatIsForgotten) {
  {
    Client client = open();
    ASSERT_TRUE(client.watch_wallet("one", watching(1)));
    sync(client);
  }
  const auto payment = TxBuilder(5).pays(script(1), 900).build();
  change("one", [&](wallet::Wallet& wallet) { return wallet.apply_unconfirmed(payment, 1'700'000'000); });
  Client client = open();
  ASSERT_TRUE(client.open_wallet("one"));
  EXPECT_EQ(lines(client.events(4, 10)), Lines{"5 one unconfirmed 900"});
  node_.set_chain(paid_chain().blocks(2'015));
  sync(client);
  EXPECT_EQ(lines(client.events(5, 10)), Lines{"6 tip 2037"});
  node_.set_chain(paid_chain().blocks(2'017));
  sync(client);
  EXPECT_EQ(lines(client.events(6, 10)), (Lines{"7 one forgotten 900", "8 tip 2039"}));
}

TEST_F(EventLogOfClient, KeepsThePositionsOfConsumers) {
  {
    Client client = open();
    ASSERT_TRUE(client.watch_wallet("one", watching(1)));
    sync(client);
    EXPECT_EQ(*client.consumer_position("billing"), 0);
    EXPECT_EQ(client.acknowledge("billing", 5).error().code, ErrorCode::InvalidArgument) << "no such event yet";
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
  EXPECT_EQ(lines(client.wait_events(1, 10, 1ms)), Lines{});
  auto waiting = std::async(std::launch::async, [&] { return lines(client.wait_events(1, 1, 20s)); });
  sync(client);
  EXPECT_EQ(waiting.get(), Lines{"2 one confirmed 5000"});
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
  ASSERT_EQ(spv_list_size(list), 1U) << "transactions alone";
  spv_logged_event event{};
  event.struct_size = sizeof event;
  ASSERT_EQ(spv_logged_event_at(list, 0, &event), SPV_OK);
  EXPECT_EQ(event.seq, 2);
  EXPECT_EQ(event.type, SPV_EVENT_TRANSACTION);
  EXPECT_STREQ(event.wallet, "one");
  EXPECT_EQ(event.state, SPV_TX_EVENT_CONFIRMED);
  EXPECT_EQ(event.net, 5'000);
  EXPECT_EQ(event.height, 11);
  ASSERT_EQ(event.output_count, 1U);
  // A program that was built before the other events came.
  spv_logged_event older{};
  older.struct_size = offsetof(spv_logged_event, type);
  older.type = -7;
  ASSERT_EQ(spv_logged_event_at(list, 0, &older), SPV_OK);
  EXPECT_EQ(older.seq, 2);
  EXPECT_EQ(older.output_count, 1U);
  EXPECT_EQ(older.type, -7) << "nothing is written beyond what it knows";
  spv_paid_output paid{};
  paid.struct_size = sizeof paid;
  ASSERT_EQ(spv_logged_output_at(list, 0, 0, &paid), SPV_OK);
  EXPECT_EQ(paid.address, address(1));
  EXPECT_EQ(spv_logged_output_at(list, 0, 1, &paid), SPV_ERR_NOT_FOUND);
  spv_list_free(list);
  ASSERT_EQ(spv_get_events(client, 2, 10, 1, nullptr, &list), SPV_OK);
  EXPECT_EQ(spv_list_size(list), 0U);
  spv_list_free(list);
  ASSERT_EQ(spv_get_all_events(client, 0, 10, 0, nullptr, &list), SPV_OK);
  ASSERT_EQ(spv_list_size(list), 4U);
  ASSERT_EQ(spv_logged_event_at(list, 2, &event), SPV_OK);
  EXPECT_EQ(event.type, SPV_EVENT_TIP);
  EXPECT_EQ(event.height, 22);
  EXPECT_EQ(event.block, util::to_string(node_.chain().tip().hash));
  EXPECT_STREQ(event.txid, "");
  EXPECT_EQ(event.output_count, 0U);
  EXPECT_EQ(spv_logged_output_at(list, 2, 0, &paid), SPV_ERR_NOT_FOUND);
  ASSERT_EQ(spv_logged_event_at(list, 3, &event), SPV_OK);
  EXPECT_EQ(event.type, SPV_EVENT_WALLET);
  EXPECT_STREQ(event.wallet, "one");
  EXPECT_EQ(event.state, SPV_WALLET_EVENT_SYNCED);
  EXPECT_EQ(event.height, -1);
  spv_list_free(list);
  ASSERT_EQ(spv_get_all_events(client, 0, 10, 0, "one", &list), SPV_OK);
  EXPECT_EQ(spv_list_size(list), 3U) << "without the tip";
  spv_list_free(list);
  std::int64_t seq = -1;
  EXPECT_EQ(spv_consumer_acknowledge(client, "billing", 1), SPV_OK);
  EXPECT_EQ(spv_consumer_position(client, "billing", &seq), SPV_OK);
  EXPECT_EQ(seq, 1);
  spv_close(client);
}

}  // namespace
}  // namespace spv::test
