// The library as a user has it: the public headers alone, against a node on a real socket.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <poll.h>
#include <spv/client.h>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/client_maker.h"
#include "tests/client/client_fixture.h"
#include "tests/client/troubled_store.h"
#include "tests/support/tx_builder.h"

namespace spv::test {
namespace {

TEST_F(ClientTest, FindsThePaymentsOfSeveralWalletsInOneScan) {
  Client client = open();
  ASSERT_TRUE(client.watch_wallet("one", watching(1)));
  ASSERT_TRUE(client.watch_wallet("two", watching(2)));
  ASSERT_TRUE(client.watch_wallet("none", watching(3)));
  sync(client);
  EXPECT_EQ(client.balance("one")->confirmed, 5'000);
  EXPECT_EQ(client.balance("two")->confirmed, 7'000);
  EXPECT_EQ(client.balance("none")->total(), 0);
  ASSERT_EQ(transactions().size(), 2);
  EXPECT_EQ(transactions()[0].wallet, "one");
  EXPECT_EQ(transactions()[0].net, 5'000);
  EXPECT_EQ(transactions()[0].height, 11);
  EXPECT_EQ(transactions()[1].wallet, "two");
  EXPECT_EQ(sessions(), 1) << "they share one connection";
  EXPECT_EQ(client.status("none")->scanned_to, 22);
}

TEST_F(ClientTest, KeepsAllOnDiskAndAsksForNothingTwice) {
  {
    Client client = open();
    ASSERT_TRUE(client.watch_wallet("one", watching(1)));
    sync(client);
  }
  const auto asked = node_.seen.filtered_blocks_asked();
  Client client = open();
  EXPECT_THAT(client.wallets(), testing::ElementsAre("one"));
  ASSERT_TRUE(client.open_wallet("one"));
  EXPECT_EQ(client.balance("one")->confirmed, 5'000);
  sync(client);
  EXPECT_EQ(node_.seen.filtered_blocks_asked(), asked);
}

TEST_F(ClientTest, ScansForAWalletThatComesLaterOnlyWhatItLacks) {
  Client client = following();
  const auto asked = node_.seen.filtered_blocks_asked();
  auto late = watching(2);
  late.birthday_height = 12;
  ASSERT_TRUE(client.watch_wallet("two", late));
  ASSERT_TRUE(wait_for<SyncedEvent>(client));
  EXPECT_EQ(client.balance("two")->confirmed, 7'000);
  EXPECT_EQ(node_.seen.filtered_blocks_asked() - asked, 11) << "blocks 12 to 22";
  EXPECT_EQ(sessions(), 1);
  ASSERT_TRUE(client.close_wallet("one"));
  EXPECT_EQ(client.balance("one").error().code, ErrorCode::NotFound);
  ASSERT_TRUE(client.stop());
}

TEST_F(ClientTest, RunsOnTheCallersLoopAndTellsASubscriber) {
  boost::asio::io_context io;
  Client client = open();
  ASSERT_TRUE(client.watch_wallet("one", watching(1)));
  std::int64_t balance_then = 0;
  bool stopped = false;
  client.subscribe([&](const Event& event) {
    if (std::holds_alternative<TransactionEvent>(event)) balance_then = client.balance("one")->confirmed;
    stopped = stopped || std::holds_alternative<StoppedEvent>(event);
  });
  ASSERT_TRUE(client.start_on(io));
  while (!stopped && io.run_one_for(20s) > 0) {
  }
  EXPECT_TRUE(stopped);
  EXPECT_EQ(balance_then, 5'000);
  EXPECT_TRUE(client.stop());
  EXPECT_TRUE(client.start_on(io)) << "it can go on";
  EXPECT_TRUE(client.stop());
  io.run_for(1s);  // what is left in the loop finds nobody, and harms nobody
}

TEST_F(ClientTest, EndsWhenTheByteBudgetIsSpentAndGoesOnWithANewOne) {
  auto given = options();
  given.byte_budget = 600;
  Client client = std::move(*Client::open(given));
  ASSERT_TRUE(client.watch_wallet("one", watching(1)));
  ASSERT_TRUE(client.start());
  const auto stopped = wait_for<StoppedEvent>(client);
  ASSERT_TRUE(stopped);
  EXPECT_EQ(stopped->code, static_cast<int>(ErrorCode::Budget));
  ASSERT_TRUE(client.stop());
  EXPECT_EQ(client.start().error().code, ErrorCode::Budget);
  client.set_byte_budget(0);
  sync(client);
  EXPECT_EQ(client.balance("one")->confirmed, 5'000);
}

TEST_F(ClientTest, TellsThatAReorganisationHasUnconfirmedAPayment) {
  Client client = open();
  ASSERT_TRUE(client.watch_wallet("one", watching(1)));
  sync(client);
  ASSERT_EQ(transactions().size(), 1);
  node_.set_chain(paid_chain().at_height(10).blocks(13));
  sync(client);
  ASSERT_EQ(transactions().size(), 2);
  EXPECT_EQ(transactions()[1].txid, transactions()[0].txid);
  EXPECT_EQ(transactions()[1].net, 5'000);
  EXPECT_FALSE(transactions()[1].height);
  EXPECT_EQ(client.history("one")->at(0).state, TxState::Unconfirmed);
}

TEST_F(ClientTest, DoesNotTellOfAStrangersTransactionThatDoubleSpendsAPayment) {
  const chain::OutPoint foreign{TxBuilder(50).build().txid(), 0};
  const auto payment = TxBuilder(1).spends(foreign).pays(script(3), 700).build();
  const auto stolen = TxBuilder(2).spends(foreign).pays(script(9), 650).build();
  const auto paid = ChainBuilder().blocks(10).block({payment}).blocks(5);
  node_.set_chain(paid);
  Client client = open();
  ASSERT_TRUE(client.watch_wallet("three", watching(3)));
  sync(client);
  EXPECT_EQ(client.balance("three")->confirmed, 700);
  node_.set_chain(paid.at_height(10).block({stolen}).blocks(6));
  sync(client);
  EXPECT_EQ(client.balance("three")->total(), 0);
  ASSERT_EQ(transactions().size(), 3) << "the payment, that it was undone, and that another one counts instead";
  for (const auto& event : transactions()) EXPECT_EQ(event.txid, util::to_string(payment.txid()));
  ASSERT_EQ(client.history("three")->size(), 1);
  EXPECT_EQ(client.history("three")->at(0).state, TxState::Conflicted);
  EXPECT_EQ(client.history("three")->at(0).replaced_by, util::to_string(stolen.txid()));
  EXPECT_EQ(transactions()[0].state, TransactionState::Confirmed);
  EXPECT_EQ(transactions()[1].state, TransactionState::Unconfirmed);
  EXPECT_EQ(transactions()[2].state, TransactionState::Conflicted);
  EXPECT_EQ(transactions()[2].replaced_by, util::to_string(stolen.txid()));
}

TEST_F(ClientTest, MakesAProofThatItAndOthersCanCheck) {
  Client client = open();
  ASSERT_TRUE(client.watch_wallet("one", watching(1)));
  sync(client);
  const auto history = *client.history("one");
  ASSERT_EQ(history.size(), 1);
  const auto proof = client.proof("one", history[0].txid);
  ASSERT_TRUE(proof) << proof.error().message;
  const auto facts = client.verify_proof(*proof);
  ASSERT_TRUE(facts) << facts.error().message;
  EXPECT_EQ(facts->txid, history[0].txid);
  EXPECT_EQ(facts->confirmations, 12);
  std::string forged = *proof;
  forged[forged.size() / 2] = forged[forged.size() / 2] == '0' ? '1' : '0';
  EXPECT_EQ(client.verify_proof(forged).error().code, ErrorCode::InvalidProof);
  EXPECT_EQ(client.proof("one", std::string(64, 'a')).error().code, ErrorCode::NotFound);
}

TEST_F(ClientTest, SaysWhyNobodyCouldBeReached) {
  auto given = options();
  given.peers = {"127.0.0.1:1"};
  Client client = std::move(*Client::open(given));
  ASSERT_TRUE(client.watch_wallet("one", watching(1)));
  ASSERT_TRUE(client.start());
  const auto stopped = wait_for<StoppedEvent>(client);
  ASSERT_TRUE(stopped);
  EXPECT_EQ(stopped->code, static_cast<int>(ErrorCode::Network));
  EXPECT_THAT(stopped->message, testing::HasSubstr("127.0.0.1:1"));
}

TEST_F(ClientTest, RestoresAMnemonicAndHandsOutItsAddresses) {
  constexpr const char* kWords =
      "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about";
  Client client = open();
  ASSERT_TRUE(client.restore_wallet("mine", kWords));
  const auto first = client.address("mine");
  ASSERT_TRUE(first);
  EXPECT_EQ(first->path, "m/84'/1'/0'/0/0");
  EXPECT_EQ(first->address, "bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk");
  EXPECT_EQ(client.address("mine")->address, first->address);
  EXPECT_NE(client.address("mine", true)->address, first->address);
  EXPECT_EQ(client.restore_wallet("other", "abandon abandon").error().code, ErrorCode::Secret);
  const auto words = client.create_wallet("fresh");
  ASSERT_TRUE(words);
  EXPECT_EQ(std::ranges::count(words->text(), ' '), 11);
  EXPECT_FALSE(client.status("fresh")->watch_only);
}

TEST_F(ClientTest, SaysWhetherAWalletsSeedIsEncrypted) {
  Client client = open();
  ASSERT_TRUE(client.create_wallet("plain"));
  EXPECT_FALSE(client.status("plain")->encrypted);
  WalletOptions wanted;
  wanted.passphrase = Secret("correct horse");
  ASSERT_TRUE(client.create_wallet("locked", wanted));
  EXPECT_TRUE(client.status("locked")->encrypted);
  EXPECT_FALSE(client.status("locked")->watch_only);
}

TEST_F(ClientTest, RefusesWhatMakesNoSenseWithACodeForEach) {
  Options nowhere;
  EXPECT_EQ(Client::open(nowhere).error().code, ErrorCode::InvalidArgument);
  auto bad_peer = options();
  bad_peer.peers = {"1.2.3"};
  EXPECT_EQ(Client::open(bad_peer).error().code, ErrorCode::InvalidArgument);
  Client client = open();
  EXPECT_EQ(client.watch_wallet("../up", watching(1)).error().code, ErrorCode::InvalidArgument);
  EXPECT_EQ(client.watch_wallet("empty", {}).error().code, ErrorCode::InvalidArgument);
  EXPECT_EQ(client.open_wallet("nobody").error().code, ErrorCode::NotFound);
  EXPECT_EQ(client.balance("nobody").error().code, ErrorCode::NotFound);
  ASSERT_TRUE(client.watch_wallet("one", watching(1)));
  EXPECT_EQ(client.watch_wallet("one", watching(1)).error().code, ErrorCode::Exists);
  Client second = open();
  EXPECT_EQ(second.open_wallet("one").error().code, ErrorCode::Locked);
}

TEST_F(ClientTest, SpreadsWalletsOverAsManyFiltersAsTheyNeed) {
  auto given = options();
  given.fp_rate = 1e-9;
  Client client = std::move(*Client::open(given));
  WatchOptions crowd;
  crowd.gap_limit = 150;  // a look-ahead of 1,500 on each of two chains
  const char* const xpub =
      "tpubDC8msFGeGuwnKG9Upg7DM2b4DaRqg3CUZa5g8v2SRQ6K4NSkxUgd7HsL2XVWbVm39yBA4LAxysQAm397zwQSQoQgewGiYZqrA9DsP4zbQ1M";
  crowd.descriptors = {"wpkh(" + std::string(xpub) + "/<0;1>/*)"};
  ASSERT_TRUE(client.watch_wallet("crowd", crowd)) << client.watch_wallet("again", crowd).error().message;
  crowd.descriptors = {"wpkh(" + std::string(xpub) + "/<2;3>/*)"};
  ASSERT_TRUE(client.watch_wallet("more", crowd));
  ASSERT_TRUE(client.watch_wallet("two", watching(2)));
  ASSERT_TRUE(client.start());
  // The server serves one connection at a time: the second shard waits for the first, which ends.
  const auto stopped = wait_for<StoppedEvent>(client);
  ASSERT_TRUE(stopped);
  EXPECT_EQ(stopped->code, 0) << stopped->message;
  EXPECT_EQ(sessions(), 2);
  EXPECT_EQ(client.balance("two")->confirmed, 7'000);
  EXPECT_EQ(client.status("more")->scanned_to, 22);
}

TEST_F(ClientTest, ConnectsByTheCallersConnectorAndGoesByTheCallersClock) {
  auto given = options();
  given.peers = {"node.invalid:7"};
  std::atomic<bool> refuses = true;
  std::atomic<int> clock_read = 0;
  given.connector = [&](const std::string& host, std::uint16_t port) {
    EXPECT_EQ(host + ":" + std::to_string(port), "node.invalid:7");
    return refuses ? -1 : connect_to(server_.port());
  };
  given.clock = [&] {
    ++clock_read;
    const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
    return ClockReading{std::chrono::duration_cast<std::chrono::microseconds>(since_start), 4'102'444'800};
  };
  Client client = std::move(*Client::open(given));
  ASSERT_TRUE(client.watch_wallet("one", watching(1)));
  ASSERT_TRUE(client.start());
  const auto refused = wait_for<StoppedEvent>(client);
  ASSERT_TRUE(refused);
  EXPECT_THAT(refused->message, testing::HasSubstr("the connector gave no connection"));
  ASSERT_TRUE(client.stop());
  refuses = false;
  sync(client);
  EXPECT_EQ(client.balance("one")->confirmed, 5'000);
  EXPECT_GT(clock_read, 10);
  given.proxy = "127.0.0.1";
  EXPECT_EQ(Client::open(given).error().code, ErrorCode::InvalidArgument);
}

TEST_F(ClientTest, TellsNothingThatItsStoreDidNotTake) {
  const client::DataFolder folder(options().data_dir, chain::Network::Regtest);
  const auto store = std::make_shared<TroubledStore>(folder, chain::Network::Regtest);
  Client client = std::move(*ClientMaker::open(options(), store));
  EXPECT_EQ(client.open_wallet("one").error().code, ErrorCode::NotFound);
  ASSERT_TRUE(client.watch_wallet("one", watching(1)));
  EXPECT_EQ(client.watch_wallet("one", watching(1)).error().code, ErrorCode::Exists);
  store->full = true;
  EXPECT_EQ(client.watch_wallet("two", watching(2)).error().code, ErrorCode::Storage);
  ASSERT_TRUE(client.start());
  const auto stopped = wait_for<StoppedEvent>(client);
  ASSERT_TRUE(stopped);
  EXPECT_EQ(stopped->code, static_cast<int>(ErrorCode::Storage));
  EXPECT_THAT(stopped->message, testing::HasSubstr("the disk is full"));
  static_cast<void>(client.stop());
  EXPECT_TRUE(transactions().empty()) << "what is not stored is not told";
  store->full = false;
  sync(client);
  EXPECT_EQ(client.balance("one")->confirmed, 5'000);
  EXPECT_THAT(client.wallets(), testing::ElementsAre("one"));
}

TEST_F(ClientTest, OpensManyWalletsTogetherOrNone) {
  {
    Client client = open();
    for (std::uint8_t i = 1; i <= 3; ++i) {
      ASSERT_TRUE(client.watch_wallet("w" + std::to_string(i), watching(i)));
    }
  }
  Client client = open();
  EXPECT_EQ(client.open_wallets({"w1", "none"}).error().code, ErrorCode::NotFound);
  EXPECT_EQ(client.open_wallets({"w1", "../x"}).error().code, ErrorCode::InvalidArgument);
  EXPECT_FALSE(client.balance("w1"));
  ASSERT_TRUE(client.open_wallet("w2"));
  ASSERT_TRUE(client.open_wallets({"w1", "w2", "w3"}));
  sync(client);
  EXPECT_EQ(client.balance("w1")->confirmed, 5'000);
  EXPECT_EQ(client.balance("w2")->confirmed, 7'000);
  const auto history = client.history("w1");
  ASSERT_EQ(history->size(), 1U);
  EXPECT_EQ(client.transaction("w1", history->front().txid)->net, 5'000);
  EXPECT_EQ(client.transaction("w2", history->front().txid).error().code, ErrorCode::NotFound);
  EXPECT_EQ(client.transaction("w1", "x").error().code, ErrorCode::NotFound);
}

TEST_F(ClientTest, FollowsAllWalletsOfItsFolder) {
  {
    Client client = open();
    ASSERT_TRUE(client.watch_wallet("one", watching(1)));
  }
  auto given = options();
  given.follow = true;
  given.follow_all = true;
  Client client = std::move(*Client::open(given));
  ASSERT_TRUE(client.start());
  const auto wait_for_balance = [&](const std::string& wallet, std::int64_t amount) {
    for (;;) {
      const auto balance = client.balance(wallet);
      if (balance && balance->confirmed == amount) return;
      std::this_thread::sleep_for(5ms);
    }
  };
  wait_for_balance("one", 5'000);
  Client other = open();
  ASSERT_TRUE(other.watch_wallet("two", watching(2)));
  ASSERT_TRUE(other.close_wallet("two"));  // until then it is locked, and is tried again
  wait_for_balance("two", 7'000);
  boost::asio::io_context io;
  Client on_loop = std::move(*Client::open(given));
  EXPECT_EQ(on_loop.start_on(io).error().code, ErrorCode::InvalidArgument);
  ASSERT_TRUE(client.stop());
}

TEST_F(ClientTest, HasADescriptorThatIsReadableWhileEventsWait) {
  Client client = open();
  pollfd waiting{client.event_fd(), POLLIN, 0};
  EXPECT_EQ(poll(&waiting, 1, 0), 0);
  ASSERT_TRUE(client.watch_wallet("one", watching(1)));
  ASSERT_TRUE(client.start());
  EXPECT_EQ(poll(&waiting, 1, 20'000), 1);
  ASSERT_TRUE(wait_for<StoppedEvent>(client));
  while (client.next_event()) {
  }
  EXPECT_EQ(poll(&waiting, 1, 0), 0);
}

}  // namespace
}  // namespace spv::test
