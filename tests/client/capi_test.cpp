// The C ABI, as a C program would use it.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <limits>
#include <spv/spv.h>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "tests/support/chain_builder.h"
#include "tests/support/long_tests.h"
#include "tests/support/loopback_server.h"
#include "tests/support/temp_dir.h"
#include "wallet/address.h"
#include "wallet/script.h"

namespace spv::test {
namespace {

constexpr const char* kAddress = "bcrt1qqyqszqgpqyqszqgpqyqszqgpqyqszqgpvxat9t";

constexpr const char* kDescriptor = "addr(bcrt1qqyqszqgpqyqszqgpqyqszqgpqyqszqgpvxat9t)";

constexpr const char* kWords =
    "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about";

util::Bytes paid_script() {
  return wallet::script_of_address(kAddress, chain::params(chain::Network::Regtest)).value();
}

class Capi : public testing::Test {
 protected:
  Capi()
      : node_(ChainBuilder().blocks(5).pays(paid_script(), 5'000).blocks(5)),
        server_(serve_node(node_)),
        data_dir_(folder_.file("data")),
        peer_("127.0.0.1:" + std::to_string(server_.port())),
        peers_{peer_.c_str()} {}

  spv_options options() {
    spv_options out{};
    out.struct_size = sizeof out;
    out.data_dir = data_dir_.c_str();
    out.network = SPV_NETWORK_REGTEST;
    out.peers = peers_;
    out.peer_count = 1;
    out.mempool_wait_ms = -1;
    out.once = 1;
    return out;
  }
  /// A client that stays at the tip, or ends there; to be closed.
  spv_client* opened(bool once = true) {
    spv_options given = options();
    given.once = once ? 1 : 0;
    spv_client* client = nullptr;
    EXPECT_EQ(spv_open(&given, &client), SPV_OK) << spv_last_error(client);
    return client;
  }
  /// What came before it is passed over.
  static spv_event wait_for(spv_client* client, int type) {
    spv_event event{};
    event.struct_size = sizeof event;
    do {
      if (spv_next_event(client, 20'000, &event) != SPV_OK) event.type = 0;
    } while (event.type != type && event.type != 0);
    EXPECT_EQ(event.type, type) << spv_last_error(client);
    return event;
  }
  /// A client with the wallet "one", which is there; to be closed.
  spv_client* reopened() {
    spv_client* client = opened();
    EXPECT_EQ(spv_wallet_open(client, "one"), SPV_OK) << spv_last_error(client);
    return client;
  }
  /// Opens, opens or makes the wallet, syncs to the end, closes; gives the balance, or -1 and why.
  std::int64_t cycle() {
    const spv_options given = options();
    spv_client* client = nullptr;
    EXPECT_EQ(spv_open(&given, &client), SPV_OK) << spv_last_error(client);
    if (spv_wallet_open(client, "one") == SPV_ERR_NOT_FOUND) {
      EXPECT_EQ(spv_wallet_watch(client, "one", &kDescriptor, 1, nullptr), SPV_OK) << spv_last_error(client);
    }
    EXPECT_EQ(spv_start(client), SPV_OK) << spv_last_error(client);
    spv_event event{};
    event.struct_size = sizeof event;
    int result = SPV_OK;
    do {
      result = spv_next_event(client, 20'000, &event);
    } while (result == SPV_OK && event.type != SPV_EVENT_STOPPED);
    EXPECT_EQ(result, SPV_OK);
    EXPECT_EQ(event.code, 0) << event.message;
    spv_balance balance{};
    balance.struct_size = sizeof balance;
    EXPECT_EQ(spv_get_balance(client, "one", &balance), SPV_OK) << spv_last_error(client);
    spv_close(client);
    return balance.confirmed;
  }

  TempDir folder_;
  FakeNode node_;
  LoopbackServer server_;
  std::string data_dir_;
  std::string peer_;
  const char* peers_[1];
};

// What programs were compiled against: fields may be added at the end, and nothing else may move.
static_assert(sizeof(void*) != 8 || (offsetof(spv_options, byte_budget) == 72 && offsetof(spv_options, fp_rate) == 48));
static_assert(sizeof(void*) != 8 || (offsetof(spv_options, transport) == 80 && offsetof(spv_options, reserved) == 116));
static_assert(sizeof(void*) != 8 || offsetof(spv_wallet_options, words) == 72);
static_assert(sizeof(void*) != 8 || offsetof(spv_balance, total) == 32);
static_assert(sizeof(void*) != 8 || offsetof(spv_coin, spendable) == 52);
static_assert(sizeof(void*) != 8 || offsetof(spv_tx, state) == 56);
static_assert(sizeof(void*) != 8 || offsetof(spv_address, used) == 32);
static_assert(sizeof(void*) != 8 || (offsetof(spv_event, net) == 56 && offsetof(spv_event, bytes_out) == 88));
static_assert(sizeof(void*) != 8 || offsetof(spv_event, state) == 96);
// A new field at the end must not fall into what an older program calls padding.
#define SPV_ENDS_WITH(type, field) \
  static_assert(sizeof(void*) != 8 || offsetof(type, field) + sizeof(type::field) == sizeof(type))
SPV_ENDS_WITH(spv_options, only_bloom_filters);
SPV_ENDS_WITH(spv_wallet_options, reserved);
SPV_ENDS_WITH(spv_balance, total);
SPV_ENDS_WITH(spv_coin, spendable);
SPV_ENDS_WITH(spv_tx, replaced_by);
SPV_ENDS_WITH(spv_address, reserved);
SPV_ENDS_WITH(spv_event, fee_estimate);
#undef SPV_ENDS_WITH
static_assert(SPV_ERR_INVALID_PSBT == -18 && SPV_EVENT_FEES == 11 && SPV_BROADCAST_CONFIRMED == 4);
static_assert(SPV_ERR_CLOCK == -16 && SPV_TRANSPORT_V2 == 2 && SPV_CROSS_CHECK_FULL == 2 && SPV_SOURCE_AUTO == 2);
static_assert(SPV_ERR_TIMEOUT == -15 && SPV_EVENT_STOPPED == 9 && SPV_NETWORK_REGTEST == 4 && SPV_NETWORK_MAIN == 5 &&
              SPV_TX_CONFLICTED == 2);

std::ptrdiff_t entries(const char* folder) {
  return std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator());
}

// Memory that leaks is the sanitizer's to find (the dev preset); here answers, descriptors and threads must stay the
// same.
TEST_F(Capi, OpensSyncsAndClosesAThousandTimes) {
  const auto cycles = repeats(40, 1'000);
  ASSERT_EQ(cycle(), 5'000);
  const auto descriptors = entries("/proc/self/fd");
  const auto threads = entries("/proc/self/task");
  for (std::uint64_t i = 1; i < cycles; ++i) ASSERT_EQ(cycle(), 5'000) << "cycle " << i;
  EXPECT_LE(entries("/proc/self/fd"), descriptors + 2) << "the server may be behind";
  EXPECT_LE(entries("/proc/self/task"), threads + 1);
}

TEST_F(Capi, ListsCoinsHistoryAndAddresses) {
  ASSERT_EQ(cycle(), 5'000);
  spv_client* const client = reopened();
  spv_list* list = nullptr;
  ASSERT_EQ(spv_get_coins(client, "one", &list), SPV_OK);
  ASSERT_EQ(spv_list_size(list), 1);
  spv_coin coin{};
  coin.struct_size = sizeof coin;
  ASSERT_EQ(spv_coin_at(list, 0, &coin), SPV_OK);
  EXPECT_STREQ(coin.address, kAddress);
  EXPECT_EQ(coin.amount, 5'000);
  EXPECT_EQ(coin.height, 6);
  const std::string txid = coin.txid;
  EXPECT_EQ(spv_coin_at(list, 1, &coin), SPV_ERR_NOT_FOUND);
  spv_tx tx{};
  tx.struct_size = sizeof tx;
  EXPECT_EQ(spv_tx_at(list, 0, &tx), SPV_ERR_STATE);
  spv_list_free(list);
  ASSERT_EQ(spv_get_history(client, "one", &list), SPV_OK);
  ASSERT_EQ(spv_tx_at(list, 0, &tx), SPV_OK);
  EXPECT_EQ(tx.net, 5'000);
  EXPECT_EQ(tx.fee, -1);
  EXPECT_STREQ(tx.replaced_by, "");
  EXPECT_EQ(tx.txid, txid);
  spv_list_free(list);
  ASSERT_EQ(spv_get_transaction(client, "one", txid.c_str(), &list), SPV_OK);
  ASSERT_EQ(spv_tx_at(list, 0, &tx), SPV_OK);
  EXPECT_EQ(tx.net, 5'000);
  EXPECT_EQ(tx.txid, txid);
  spv_list_free(list);
  EXPECT_EQ(spv_get_transaction(client, "one", "00", &list), SPV_ERR_NOT_FOUND);
  ASSERT_EQ(spv_get_addresses(client, "one", &list), SPV_OK);
  spv_address address{};
  address.struct_size = sizeof address;
  ASSERT_EQ(spv_address_at(list, 0, &address), SPV_OK);
  EXPECT_EQ(address.received, 5'000);
  spv_list_free(list);
  char* proof = nullptr;
  ASSERT_EQ(spv_get_proof(client, "one", txid.c_str(), &proof), SPV_OK) << spv_last_error(client);
  std::int32_t height = 0;
  EXPECT_EQ(spv_verify_proof(client, proof, std::string(proof).size(), &height, nullptr), SPV_OK);
  EXPECT_EQ(height, 6);
  spv_free(proof);
  spv_close(client);
}

TEST_F(Capi, NeverWritesBeyondTheSizeThatTheCallerNames) {
  ASSERT_EQ(cycle(), 5'000);
  spv_client* const client = reopened();
  spv_balance old{};
  old.struct_size = offsetof(spv_balance, unconfirmed);  // as if compiled against an older header
  old.unconfirmed = 77;
  ASSERT_EQ(spv_get_balance(client, "one", &old), SPV_OK);
  EXPECT_EQ(old.confirmed, 5'000);
  EXPECT_EQ(old.unconfirmed, 77);
  old.struct_size = 0;
  EXPECT_EQ(spv_get_balance(client, "one", &old), SPV_ERR_INVALID_ARGUMENT);
  spv_close(client);
}

TEST_F(Capi, RefusesAStructWhoseSizeWasNotSet) {
  spv_options given = options();
  given.struct_size = 0;
  spv_client* client = nullptr;
  EXPECT_EQ(spv_open(&given, &client), SPV_ERR_INVALID_ARGUMENT);
  EXPECT_NE(std::string(spv_last_error(client)).find("struct_size"), std::string::npos);
  spv_close(client);
  given = options();
  ASSERT_EQ(spv_open(&given, &client), SPV_OK);
  spv_wallet_options wanted{};
  wanted.passphrase = "secret";  // to pass over it would leave the seed unprotected
  wanted.passphrase_size = 6;
  char* mnemonic = nullptr;
  EXPECT_EQ(spv_wallet_create(client, "mine", &wanted, &mnemonic), SPV_ERR_INVALID_ARGUMENT);
  wanted.struct_size = SIZE_MAX;
  EXPECT_EQ(spv_wallet_create(client, "mine", &wanted, &mnemonic), SPV_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(mnemonic, nullptr);
  spv_close(client);
}

TEST_F(Capi, TakesANewerStructUnlessItSetsWhatIsUnknownHere) {
  struct Newer {
    spv_options known;
    std::uint64_t more;
  } newer{options(), 0};
  newer.known.struct_size = sizeof newer;
  spv_client* client = nullptr;
  EXPECT_EQ(spv_open(&newer.known, &client), SPV_OK) << spv_last_error(client);
  spv_close(client);
  newer.more = 1;
  EXPECT_EQ(spv_open(&newer.known, &client), SPV_ERR_UNSUPPORTED);
  spv_close(client);
}

TEST_F(Capi, RefusesNumbersThatMeanNothing) {
  spv_options given = options();
  given.network = 99;
  spv_client* client = nullptr;
  EXPECT_EQ(spv_open(&given, &client), SPV_ERR_INVALID_ARGUMENT);
  spv_close(client);
  given = options();
  ASSERT_EQ(spv_open(&given, &client), SPV_OK);
  spv_wallet_options wanted{};
  wanted.struct_size = sizeof wanted;
  wanted.has_birthday = 3;
  EXPECT_EQ(spv_wallet_watch(client, "one", &kDescriptor, 1, &wanted), SPV_ERR_INVALID_ARGUMENT);
  wanted.has_birthday = 1;
  wanted.birthday = std::int64_t{1} << 32;
  EXPECT_EQ(spv_wallet_watch(client, "one", &kDescriptor, 1, &wanted), SPV_ERR_INVALID_ARGUMENT);
  wanted.has_birthday = 0;
  wanted.reserved = 1;
  EXPECT_EQ(spv_wallet_watch(client, "one", &kDescriptor, 1, &wanted), SPV_ERR_INVALID_ARGUMENT);
  spv_close(client);
}

TEST_F(Capi, NamesTheWalletsOfTheFolder) {
  ASSERT_EQ(cycle(), 5'000);
  spv_client* const client = reopened();
  ASSERT_EQ(spv_wallet_close(client, "one"), SPV_OK);
  spv_list* list = nullptr;
  ASSERT_EQ(spv_get_wallets(client, &list), SPV_OK);
  ASSERT_EQ(spv_list_size(list), 1);
  const char* name = nullptr;
  ASSERT_EQ(spv_name_at(list, 0, &name), SPV_OK);
  EXPECT_STREQ(name, "one");
  EXPECT_EQ(spv_name_at(list, 1, &name), SPV_ERR_NOT_FOUND);
  spv_coin coin{};
  coin.struct_size = sizeof coin;
  EXPECT_EQ(spv_coin_at(list, 0, &coin), SPV_ERR_STATE);
  spv_list_free(list);
  spv_close(client);
}

TEST_F(Capi, KeepsTheLastErrorOfEachThread) {
  const spv_options given = options();
  spv_client* client = nullptr;
  ASSERT_EQ(spv_open(&given, &client), SPV_OK);
  EXPECT_STREQ(spv_last_error(client), "");
  EXPECT_EQ(spv_wallet_open(client, "mine"), SPV_ERR_NOT_FOUND);
  const std::string here = spv_last_error(client);
  const char* const shown = spv_last_error(client);
  std::thread([&] {
    EXPECT_STREQ(spv_last_error(client), "");
    EXPECT_EQ(spv_wallet_open(client, "another"), SPV_ERR_NOT_FOUND);
    EXPECT_NE(spv_last_error(client), here);
  }).join();
  EXPECT_EQ(shown, here) << "what another thread does leaves it alone";
  spv_close(client);
}

TEST_F(Capi, T2_StopsAReaderThatWaitsWithoutEnd) {
  spv_options given = options();
  given.once = 0;
  spv_client* client = nullptr;
  ASSERT_EQ(spv_open(&given, &client), SPV_OK);
  ASSERT_EQ(spv_wallet_watch(client, "one", &kDescriptor, 1, nullptr), SPV_OK) << spv_last_error(client);
  ASSERT_EQ(spv_start(client), SPV_OK);
  std::thread reader([&] {
    spv_event event{};
    event.struct_size = sizeof event;
    while (spv_next_event(client, -1, &event) == SPV_OK && event.type != SPV_EVENT_STOPPED) {
    }
    EXPECT_EQ(event.code, 0);
  });
  EXPECT_EQ(spv_stop(client), SPV_OK);
  reader.join();
  spv_close(client);
}

TEST_F(Capi, GivesAnErrorForEverythingThatIsNull) {
  spv_client* client = nullptr;
  EXPECT_EQ(spv_open(nullptr, nullptr), SPV_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(spv_open(nullptr, &client), SPV_ERR_INVALID_ARGUMENT);
  ASSERT_NE(client, nullptr) << "it can be asked why";
  EXPECT_STREQ(spv_last_error(client), "data_dir is not set");
  EXPECT_EQ(spv_start(client), SPV_ERR_STATE);
  spv_event event{};
  EXPECT_EQ(spv_next_event(client, 0, &event), SPV_ERR_STATE);
  EXPECT_EQ(spv_event_fd(client), -1);
  spv_close(client);
  spv_close(nullptr);
  EXPECT_EQ(spv_start(nullptr), SPV_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(spv_get_coins(nullptr, nullptr, nullptr), SPV_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(spv_list_size(nullptr), 0);
  EXPECT_EQ(spv_coin_at(nullptr, 0, nullptr), SPV_ERR_INVALID_ARGUMENT);
  spv_list_free(nullptr);
  spv_free(nullptr);
}

// To take half a passphrase for none would leave the seed unprotected.
TEST_F(Capi, RefusesATextWithoutASizeAndASizeWithoutAText) {
  spv_client* const client = opened();
  const auto refuses = [&](const char* own, std::size_t own_size, const char* bip39, std::size_t bip39_size) {
    spv_wallet_options wanted{};
    wanted.struct_size = sizeof wanted;
    wanted.passphrase = own;
    wanted.passphrase_size = own_size;
    wanted.bip39_passphrase = bip39;
    wanted.bip39_passphrase_size = bip39_size;
    char* mnemonic = nullptr;
    return spv_wallet_create(client, "mine", &wanted, &mnemonic) == SPV_ERR_INVALID_ARGUMENT && mnemonic == nullptr &&
           spv_wallet_restore(client, "mine", kWords, std::strlen(kWords), &wanted) == SPV_ERR_INVALID_ARGUMENT;
  };
  EXPECT_TRUE(refuses("secret", 0, nullptr, 0));
  EXPECT_TRUE(refuses(nullptr, 6, nullptr, 0));
  EXPECT_TRUE(refuses(nullptr, 0, "secret", 0));
  EXPECT_TRUE(refuses(nullptr, 0, nullptr, 6));
  EXPECT_EQ(spv_wallet_restore(client, "mine", nullptr, 12, nullptr), SPV_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(spv_verify_proof(client, nullptr, 12, nullptr, nullptr), SPV_ERR_INVALID_ARGUMENT);
  spv_close(client);
}

TEST_F(Capi, InterruptsAllWhoWaitForEvents) {
  constexpr int kDays = std::numeric_limits<int>::max();
  spv_client* const client = opened();
  const auto next = [client] {
    spv_event event{};
    event.struct_size = sizeof event;
    return spv_next_event(client, -1, &event);
  };
  const auto count = [client](auto* function, std::int64_t after) {
    spv_list* list = nullptr;
    EXPECT_EQ(function(client, after, 10, kDays, nullptr, &list), SPV_OK);
    const auto size = spv_list_size(list);
    spv_list_free(list);
    return size;
  };
  std::thread live([&] { EXPECT_EQ(next(), SPV_ERR_TIMEOUT); });
  std::thread log([&] { EXPECT_EQ(count(spv_get_all_events, 0), 0U); });
  std::thread transactions([&] { EXPECT_EQ(count(spv_get_events, 0), 0U); });
  EXPECT_EQ(spv_interrupt(client), SPV_OK);
  for (auto* each : {&live, &log, &transactions}) each->join();

  EXPECT_EQ(next(), SPV_ERR_TIMEOUT) << "from now on";
  EXPECT_EQ(count(spv_get_all_events, 0), 0U);
  ASSERT_EQ(spv_wallet_watch(client, "one", &kDescriptor, 1, nullptr), SPV_OK) << spv_last_error(client);
  EXPECT_EQ(count(spv_get_all_events, 0), 1U) << "what is there is given all the same";
  EXPECT_EQ(spv_stop(client), SPV_OK);
  EXPECT_EQ(next(), SPV_OK);
  EXPECT_EQ(spv_interrupt(nullptr), SPV_ERR_INVALID_ARGUMENT);
  spv_close(client);
}

TEST_F(Capi, LosesNoEventToAStructWithoutASize) {
  spv_client* const client = opened();
  EXPECT_EQ(spv_stop(client), SPV_OK);
  spv_event event{};
  EXPECT_EQ(spv_next_event(client, 20'000, &event), SPV_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(spv_next_event(client, 20'000, nullptr), SPV_ERR_INVALID_ARGUMENT);
  event.struct_size = sizeof event;
  EXPECT_EQ(spv_next_event(client, 20'000, &event), SPV_OK);
  EXPECT_EQ(event.type, SPV_EVENT_STOPPED);
  spv_close(client);
}

TEST_F(Capi, ForgetsAnErrorWithTheNextCall) {
  spv_client* const client = opened();
  EXPECT_EQ(spv_wallet_open(client, "mine"), SPV_ERR_NOT_FOUND);
  spv_event event{};
  event.struct_size = sizeof event;
  EXPECT_EQ(spv_next_event(client, 1, &event), SPV_ERR_TIMEOUT);
  EXPECT_STREQ(spv_last_error(client), "no event arrived in time");
  EXPECT_EQ(spv_set_byte_budget(client, 0), SPV_OK);
  EXPECT_STREQ(spv_last_error(client), "");
  spv_close(client);
}

TEST_F(Capi, MakesWalletsAndHandsOutTheirAddresses) {
  spv_client* const client = opened();
  spv_wallet_options wanted{};
  wanted.struct_size = sizeof wanted;
  wanted.passphrase = "secret";
  wanted.passphrase_size = 6;
  wanted.words = 24;
  char* mnemonic = nullptr;
  ASSERT_EQ(spv_wallet_create(client, "fresh", &wanted, &mnemonic), SPV_OK) << spv_last_error(client);
  const std::string words = mnemonic;
  EXPECT_EQ(std::ranges::count(words, ' '), 23);
  spv_free(mnemonic);
  ASSERT_EQ(spv_wallet_restore(client, "again", words.data(), words.size(), nullptr), SPV_OK) << spv_last_error(client);
  const auto address = [&](const char* wallet, int next, int change) {
    char* text = nullptr;
    EXPECT_EQ(spv_get_address(client, wallet, next, change, &text), SPV_OK) << spv_last_error(client);
    std::string out = text == nullptr ? "" : text;
    spv_free(text);
    return out;
  };
  const auto first = address("fresh", 0, 0);
  EXPECT_EQ(first, address("again", 0, 0)) << "the words are those of the wallet";
  EXPECT_NE(first, address("fresh", 1, 0));
  EXPECT_NE(first, address("again", 0, 1));
  ASSERT_EQ(spv_wallet_restore(client, "known", kWords, std::strlen(kWords), nullptr), SPV_OK)
      << spv_last_error(client);
  EXPECT_EQ(address("known", 0, 0), "bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk");
  EXPECT_EQ(spv_get_address(client, "known", 0, 0, nullptr), SPV_ERR_INVALID_ARGUMENT);
  spv_close(client);
}

TEST_F(Capi, PausesResumesAndFollowsTheNetwork) {
  spv_client* const client = opened(false);
  ASSERT_EQ(spv_wallet_watch(client, "one", &kDescriptor, 1, nullptr), SPV_OK) << spv_last_error(client);
  std::int32_t scanned = 7;
  ASSERT_EQ(spv_get_scanned(client, "one", &scanned), SPV_OK) << spv_last_error(client);
  EXPECT_EQ(scanned, -1);
  ASSERT_EQ(spv_start(client), SPV_OK);
  wait_for(client, SPV_EVENT_SYNCED);
  ASSERT_EQ(spv_get_scanned(client, "one", &scanned), SPV_OK);
  EXPECT_EQ(scanned, 11);
  ASSERT_EQ(spv_pause(client), SPV_OK);
  EXPECT_EQ(wait_for(client, SPV_EVENT_STOPPED).code, 0);
  ASSERT_EQ(spv_network_changed(client), SPV_OK) << "nothing happens";
  ASSERT_EQ(spv_resume(client), SPV_OK);
  EXPECT_EQ(spv_resume(client), SPV_ERR_STATE);
  wait_for(client, SPV_EVENT_SYNCED);
  ASSERT_EQ(spv_network_changed(client), SPV_OK);
  wait_for(client, SPV_EVENT_SYNCED);
  ASSERT_EQ(spv_pause(client), SPV_OK);
  EXPECT_EQ(spv_get_scanned(client, "none", &scanned), SPV_ERR_NOT_FOUND);
  spv_close(client);
}

TEST_F(Capi, EndsWithTheByteBudgetAndGoesOnWithANewOne) {
  spv_client* const client = opened();
  ASSERT_EQ(spv_wallet_watch(client, "one", &kDescriptor, 1, nullptr), SPV_OK) << spv_last_error(client);
  ASSERT_EQ(spv_set_byte_budget(client, 600), SPV_OK);
  ASSERT_EQ(spv_start(client), SPV_OK);
  EXPECT_EQ(wait_for(client, SPV_EVENT_STOPPED).code, SPV_ERR_BUDGET);
  EXPECT_EQ(spv_resume(client), SPV_ERR_BUDGET);
  ASSERT_EQ(spv_set_byte_budget(client, 0), SPV_OK);
  ASSERT_EQ(spv_resume(client), SPV_OK) << spv_last_error(client);
  EXPECT_EQ(wait_for(client, SPV_EVENT_STOPPED).code, 0);
  spv_close(client);
}

TEST_F(Capi, WakesAndTimesOut) {
  const spv_options given = options();
  spv_client* client = nullptr;
  ASSERT_EQ(spv_open(&given, &client), SPV_OK);
  spv_event event{};
  event.struct_size = sizeof event;
  EXPECT_EQ(spv_next_event(client, 1, &event), SPV_ERR_TIMEOUT);
  std::atomic<int> woken{0};
  ASSERT_EQ(spv_set_wake(
                client, [](void* count) { ++*static_cast<std::atomic<int>*>(count); }, &woken),
            SPV_OK);
  ASSERT_EQ(spv_wallet_watch(client, "one", &kDescriptor, 1, nullptr), SPV_OK) << spv_last_error(client);
  ASSERT_EQ(spv_start(client), SPV_OK);
  while (spv_next_event(client, 20'000, &event) == SPV_OK && event.type != SPV_EVENT_STOPPED) {
  }
  EXPECT_EQ(spv_stop(client), SPV_OK);
  EXPECT_GT(woken, 0);
  spv_close(client);
}

}  // namespace
}  // namespace spv::test
