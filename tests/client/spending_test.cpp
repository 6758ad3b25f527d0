// Spending through the library: payments, PSBTs, signers held elsewhere, and what is told of them.
#include <algorithm>
#include <spv/spv.h>

#include "client/client_maker.h"
#include "tests/client/client_fixture.h"
#include "tests/client/troubled_store.h"
#include "util/hex.h"
#include "wallet/mnemonic.h"
#include "wallet/spend/seed_keys.h"

namespace spv::test {
namespace {

constexpr const char* kSpendWords =
    "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about";

std::string wallet_address(const std::string& script) {
  WalletOptions wanted;
  wanted.script = script;
  const TempDir folder;
  Options given;
  given.data_dir = folder.file("data");
  given.network = NetworkId::Regtest;
  auto client = Client::open(given);
  EXPECT_TRUE(client->restore_wallet("mine", kSpendWords, wanted));
  return client->address("mine")->address;
}

util::Bytes script_of(const std::string& text) {
  return *wallet::script_of_address(text, chain::params(chain::Network::Regtest));
}

/// A node with a chain that pays 1,000,000 and 500,000 to the first address of the seed.
class SpendingTest : public testing::Test {
 protected:
  explicit SpendingTest(std::string script = "wpkh")
      : script_(std::move(script)),
        to_us_(wallet_address(script_)),
        node_(ChainBuilder().blocks(5).pays(script_of(to_us_), 1'000'000).pays(script_of(to_us_), 500'000).blocks(5)),
        server_(std::in_place, serve_node(node_)),
        peer_("127.0.0.1:" + std::to_string(server_->port())) {}

  Client open() {
    Options given;
    given.data_dir = folder_.file("data");
    given.network = NetworkId::Regtest;
    given.peers = {peer_};
    given.mempool_wait = 0ms;
    return std::move(*Client::open(given));
  }
  /// With the wallet "mine", which is synced; the sync runs.
  Client synced(std::string_view passphrase = "") {
    Client client = open();
    WalletOptions wanted;
    wanted.script = script_;
    wanted.passphrase = Secret(passphrase);
    wanted.birthday_height = 0;
    EXPECT_TRUE(client.restore_wallet("mine", kSpendWords, wanted));
    sync(client);
    return client;
  }
  /// The same with a wallet that knows the public keys only.
  Client synced_watch_only() {
    Client client = open();
    WatchOptions wanted;
    wanted.birthday_height = 0;
    wanted.descriptors = {public_descriptor()};
    EXPECT_TRUE(client.watch_wallet("mine", wanted));
    sync(client);
    return client;
  }
  void sync(Client& client) {
    EXPECT_TRUE(client.start());
    EXPECT_TRUE(wait_for<SyncedEvent>(client));
    EXPECT_EQ(client.balance("mine")->confirmed, 1'500'000);
  }
  static wallet::ExtendedPrivateKey master() {
    return *wallet::ExtendedPrivateKey::from_seed(wallet::Mnemonic::parse(kSpendWords)->seed("")->view());
  }
  static std::string public_descriptor() {
    using wallet::kHardened;
    const auto account = master().descend({84 | kHardened, 1 | kHardened, 0 | kHardened})->to_public();
    const auto text = account.to_string(chain::params(chain::Network::Regtest));
    return "wpkh([" + util::to_hex(master().fingerprint()) + "/84h/1h/0h]" + text + "/<0;1>/*)";
  }
  static PaymentOptions paying(std::int64_t amount) {
    PaymentOptions out;
    out.recipients = {{address(9), amount}};
    out.fee_rate = 2'000;
    return out;
  }
  template <typename E>
  std::optional<E> wait_for(Client& client) {
    const auto end = std::chrono::steady_clock::now() + 20s;
    while (std::chrono::steady_clock::now() < end) {
      const auto event = client.next_event(100ms);
      if (!event) continue;
      if (const auto* wanted = std::get_if<E>(&*event)) return *wanted;
    }
    return std::nullopt;
  }
  /// The last word on a transaction.
  std::optional<BroadcastEvent> outcome_of(Client& client, const std::string& txid) {
    while (auto event = wait_for<BroadcastEvent>(client)) {
      if (event->txid == txid && event->state >= BroadcastState::Fetched) return event;
    }
    return std::nullopt;
  }
  /// The keys of the seed, behind functions.
  static Signer signer() {
    const auto keys = std::make_shared<wallet::spend::SeedKeys>(master());
    Signer out;
    out.schnorr = [keys](const SignerKey& key,
                         const std::array<std::uint8_t, 32>& digest) -> std::optional<std::vector<std::uint8_t>> {
      const auto made =
          keys->schnorr({key.public_key, wallet::KeyOrigin{key.fingerprint.value(), key.path}}, util::Hash256{digest});
      if (!made) return std::nullopt;
      return std::vector<std::uint8_t>(made->begin(), made->end());
    };
    out.ecdsa = [keys](const SignerKey& key, const std::array<std::uint8_t, 32>& digest) {
      return keys->ecdsa({key.public_key, wallet::KeyOrigin{key.fingerprint.value(), key.path}}, util::Hash256{digest});
    };
    return out;
  }
  /// What the node has got; it is gone then.
  const std::vector<chain::Transaction>& arrived() {
    server_.reset();
    return node_.seen.transactions;
  }
  bool has_arrived(const std::string& txid) {
    return std::ranges::any_of(arrived(),
                               [&](const chain::Transaction& tx) { return util::to_string(tx.txid()) == txid; });
  }

  TempDir folder_;
  std::string script_;
  std::string to_us_;
  FakeNode node_;
  std::optional<LoopbackServer> server_;
  std::string peer_;
};

TEST_F(SpendingTest, CreatesAPaymentAndStoresNothing) {
  Client client = synced();
  const auto payment = client.create_payment("mine", paying(200'000));
  ASSERT_TRUE(payment) << payment.error().message;
  EXPECT_FALSE(payment->psbt.empty());
  EXPECT_GT(payment->fee, 0);
  std::int64_t in = 0;
  std::int64_t out = 0;
  for (const auto& input : payment->inputs) in += input.amount;
  for (const auto& output : payment->outputs) out += output.amount;
  EXPECT_EQ(in, out + payment->fee);
  const auto is_paid = [](const PaymentOutput& o) {
    return o.address == address(9) && o.amount == 200'000 && !o.change;
  };
  EXPECT_EQ(std::ranges::count_if(payment->outputs, is_paid), 1);
  EXPECT_EQ(std::ranges::count_if(payment->outputs, &PaymentOutput::change), 1);
  EXPECT_EQ(client.balance("mine")->total(), 1'500'000);
  EXPECT_EQ(client.history("mine")->size(), 2U);
  EXPECT_EQ(extract_transaction(payment->psbt).error().code, ErrorCode::InvalidPsbt) << "nobody has signed it";
}

TEST_F(SpendingTest, SaysWhyThereIsNoPayment) {
  Client client = synced();
  EXPECT_EQ(client.create_payment("mine", paying(2'000'000)).error().code, ErrorCode::Refused);
  EXPECT_EQ(client.create_payment("mine", paying(0)).error().code, ErrorCode::InvalidArgument);
  EXPECT_EQ(client.create_payment("other", paying(1)).error().code, ErrorCode::NotFound);
  PaymentOptions foreign = paying(1'000);
  foreign.recipients[0].address = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4";
  EXPECT_EQ(client.create_payment("mine", foreign).error().code, ErrorCode::InvalidArgument);
  PaymentOptions coins = paying(1'000);
  coins.coins = {"abc:x"};
  EXPECT_EQ(client.create_payment("mine", coins).error().code, ErrorCode::InvalidArgument);
  EXPECT_EQ(client.create_payment("mine", {}).error().code, ErrorCode::InvalidArgument);
}

TEST_F(SpendingTest, SendsThroughTheSyncAndTellsWhatComesOfIt) {
  Client client = synced("secret words");
  EXPECT_EQ(client.send("mine", paying(200'000), Secret("wrong")).error().code, ErrorCode::Secret);
  const auto sent = client.send("mine", paying(200'000), Secret("secret words"));
  ASSERT_TRUE(sent) << sent.error().message;
  EXPECT_EQ(client.balance("mine")->total(), 1'300'000 - sent->fee) << "its coins are reserved when it returns";
  const auto outcome = outcome_of(client, sent->txid);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->wallet, "mine");
  EXPECT_TRUE(client.stop());
  EXPECT_TRUE(has_arrived(sent->txid));
  EXPECT_EQ(client.send("mine", paying(1'000), Secret("secret words")).error().code, ErrorCode::State);
  ASSERT_TRUE(client.close_wallet("mine"));
  Client again = open();
  ASSERT_TRUE(again.open_wallet("mine"));
  EXPECT_EQ(again.balance("mine")->total(), 1'300'000 - sent->fee) << "it is on disk";
}

TEST_F(SpendingTest, OneAfterTheOtherSpendsEachCoinOnce) {
  Client client = synced();
  PaymentOptions all = paying(400'000);
  const auto first = client.send("mine", all, {});
  ASSERT_TRUE(first) << first.error().message;
  all.coins = {first->inputs[0].txid + ":" + std::to_string(first->inputs[0].vout)};
  EXPECT_EQ(client.send("mine", all, {}).error().code, ErrorCode::Refused);
  EXPECT_EQ(client.create_payment("mine", all).error().code, ErrorCode::Refused);
}

TEST_F(SpendingTest, RaisesTheFeeAndCancels) {
  Client client = synced();
  const auto first = client.send("mine", paying(200'000), {});
  ASSERT_TRUE(first) << first.error().message;
  const auto second = client.bump("mine", first->txid, 10'000, {});
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_GT(second->fee, first->fee);
  EXPECT_EQ(client.balance("mine")->total(), 1'300'000 - second->fee);
  ASSERT_TRUE(outcome_of(client, second->txid));
  EXPECT_EQ(client.bump("mine", std::string(64, '0'), 10'000, {}).error().code, ErrorCode::NotFound);
  const auto third = client.cancel("mine", second->txid, 20'000, {});
  ASSERT_TRUE(third) << third.error().message;
  EXPECT_EQ(client.balance("mine")->total(), 1'500'000 - third->fee);
}

TEST_F(SpendingTest, SignsFinalisesAndBroadcastsAPsbt) {
  Client client = synced();
  const auto payment = client.create_payment("mine", paying(200'000));
  ASSERT_TRUE(payment) << payment.error().message;
  EXPECT_EQ(finalize_psbt(payment->psbt).error().code, ErrorCode::InvalidPsbt);
  const auto by_seed = client.sign_psbt("mine", payment->psbt, {});
  ASSERT_TRUE(by_seed) << by_seed.error().message;
  const auto by_signer = client.sign_psbt_with("mine", payment->psbt, signer());
  ASSERT_TRUE(by_signer) << by_signer.error().message;
  EXPECT_EQ(*by_seed, *by_signer);
  const auto combined = combine_psbts({payment->psbt, *by_seed});
  ASSERT_TRUE(combined) << combined.error().message;
  const auto final = finalize_psbt(*combined);
  ASSERT_TRUE(final) << final.error().message;
  const auto hex = extract_transaction(*final);
  ASSERT_TRUE(hex) << hex.error().message;
  const auto txid = client.broadcast(*hex);
  ASSERT_TRUE(txid) << txid.error().message;
  EXPECT_EQ(*txid, payment->txid);
  EXPECT_EQ(client.balance("mine")->total(), 1'300'000 - payment->fee) << "it is a payment of the wallet";
  const auto outcome = outcome_of(client, *txid);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->wallet, "mine");
}

TEST_F(SpendingTest, ASignerHoldsTheKeysElsewhere) {
  Client client = synced();
  Signer silent;
  EXPECT_EQ(client.send_with("mine", paying(200'000), silent).error().code, ErrorCode::Refused);
  Signer wrong;
  wrong.ecdsa = [](const SignerKey&, const std::array<std::uint8_t, 32>&) { return std::vector<std::uint8_t>(70, 1); };
  EXPECT_EQ(client.send_with("mine", paying(200'000), wrong).error().code, ErrorCode::Refused);
  EXPECT_EQ(client.balance("mine")->total(), 1'500'000);
  Signer asks = signer();
  asks.ecdsa = [&client, inner = asks.ecdsa](const SignerKey& key, const std::array<std::uint8_t, 32>& digest) {
    EXPECT_TRUE(client.balance("mine")) << "nothing is locked while somebody signs";
    return inner(key, digest);
  };
  const auto sent = client.send_with("mine", paying(200'000), asks);
  ASSERT_TRUE(sent) << sent.error().message;
  EXPECT_TRUE(outcome_of(client, sent->txid));
}

TEST_F(SpendingTest, AWatchOnlyWalletPaysAndRaisesTheFeeByASigner) {
  Client client = synced_watch_only();
  EXPECT_EQ(client.send("mine", paying(200'000), {}).error().code, ErrorCode::Refused) << "it has no keys";
  const auto sent = client.send_with("mine", paying(200'000), signer());
  ASSERT_TRUE(sent) << sent.error().message;
  ASSERT_TRUE(outcome_of(client, sent->txid));
  const auto bumped = client.bump_with("mine", sent->txid, 10'000, signer());
  ASSERT_TRUE(bumped) << bumped.error().message;
  EXPECT_GT(bumped->fee, sent->fee);
  ASSERT_TRUE(outcome_of(client, bumped->txid));
  EXPECT_EQ(client.balance("mine")->total(), 1'300'000 - bumped->fee);
}

TEST_F(SpendingTest, AReplacementThatIsSignedElsewhereTakesThePlaceOfTheOriginal) {
  Client client = synced_watch_only();
  const auto sent = client.send_with("mine", paying(200'000), signer());
  ASSERT_TRUE(sent) << sent.error().message;
  ASSERT_TRUE(outcome_of(client, sent->txid));
  EXPECT_EQ(client.create_bump("mine", sent->txid, 10'000, 1).error().code, ErrorCode::InvalidArgument);
  EXPECT_EQ(client.create_bump("mine", std::string(64, '0'), 10'000).error().code, ErrorCode::NotFound);
  EXPECT_EQ(client.create_bump("mine", sent->txid, 1'000).error().code, ErrorCode::Refused) << "not a higher fee";
  const auto made = client.create_bump("mine", sent->txid, 10'000);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(client.balance("mine")->total(), 1'300'000 - sent->fee) << "nothing is stored";
  const auto psbt = client.sign_psbt_with("mine", made->psbt, signer());
  ASSERT_TRUE(psbt) << psbt.error().message;
  const auto txid = client.broadcast(*psbt);
  ASSERT_TRUE(txid) << txid.error().message;
  ASSERT_TRUE(outcome_of(client, *txid));
  EXPECT_EQ(client.balance("mine")->total(), 1'300'000 - made->fee);
}

TEST_F(SpendingTest, WhatAPeerHasTakenIsNotAbandoned) {
  Client client = synced();
  const auto sent = client.send("mine", paying(200'000), {});
  ASSERT_TRUE(sent) << sent.error().message;
  ASSERT_TRUE(outcome_of(client, sent->txid));
  EXPECT_EQ(client.abandon("mine", sent->txid).error().code, ErrorCode::Refused);
  EXPECT_EQ(client.abandon("mine", std::string(64, '0')).error().code, ErrorCode::NotFound);
  EXPECT_EQ(client.abandon("other", sent->txid).error().code, ErrorCode::NotFound);
}

TEST_F(SpendingTest, WhatNobodyTookIsAbandonedAndItsCoinsAreFree) {
  node_.ignores_inventory = true;
  Client client = synced();
  const auto sent = client.send("mine", paying(200'000), {});
  ASSERT_TRUE(sent) << sent.error().message;
  ASSERT_TRUE(client.abandon("mine", sent->txid));
  EXPECT_EQ(client.balance("mine")->total(), 1'500'000);
  PaymentOptions again = paying(200'000);
  again.coins = {sent->inputs[0].txid + ":" + std::to_string(sent->inputs[0].vout)};
  EXPECT_TRUE(client.create_payment("mine", again));
}

class TaprootSpendingTest : public SpendingTest {
 protected:
  TaprootSpendingTest() : SpendingTest("tr") {}
};

TEST_F(TaprootSpendingTest, ASignerHoldsTheKeysElsewhere) {
  Client client = synced();
  Signer wrong;
  wrong.schnorr = [](const SignerKey&, const std::array<std::uint8_t, 32>&) {
    return std::vector<std::uint8_t>(64, 1);
  };
  EXPECT_EQ(client.send_with("mine", paying(200'000), wrong).error().code, ErrorCode::Refused);
  wrong.schnorr = [](const SignerKey&, const std::array<std::uint8_t, 32>&) {
    return std::vector<std::uint8_t>(63, 1);
  };
  EXPECT_EQ(client.send_with("mine", paying(200'000), wrong).error().code, ErrorCode::Refused);
  EXPECT_EQ(client.balance("mine")->total(), 1'500'000);
  const auto sent = client.send_with("mine", paying(200'000), signer());
  ASSERT_TRUE(sent) << sent.error().message;
  EXPECT_TRUE(outcome_of(client, sent->txid));
}

TEST_F(SpendingTest, WhatCannotBeStoredIsNeverSent) {
  Options given;
  given.data_dir = folder_.file("data");
  given.network = NetworkId::Regtest;
  given.peers = {peer_};
  given.mempool_wait = 0ms;
  const auto store = std::make_shared<TroubledStore>(client::DataFolder(given.data_dir, chain::Network::Regtest),
                                                     chain::Network::Regtest);
  Client client = std::move(*ClientMaker::open(given, store));
  WalletOptions wanted;
  wanted.birthday_height = 0;
  ASSERT_TRUE(client.restore_wallet("mine", kSpendWords, wanted));
  ASSERT_TRUE(client.start());
  ASSERT_TRUE(wait_for<SyncedEvent>(client));
  store->full_once = true;
  ASSERT_EQ(client.send("mine", paying(200'000), {}).error().code, ErrorCode::Storage);
  EXPECT_EQ(client.balance("mine")->total(), 1'500'000) << "its coins are free again";
  ASSERT_TRUE(client.stop());
  EXPECT_TRUE(arrived().empty());
}

TEST_F(SpendingTest, AsksForFees) {
  Client client = synced();
  ASSERT_TRUE(client.request_fees());
  const auto fees = wait_for<FeesEvent>(client);
  ASSERT_TRUE(fees);
  EXPECT_EQ(fees->floor, 1'000);
  ASSERT_TRUE(client.stop());
  EXPECT_EQ(client.request_fees().error().code, ErrorCode::State);
  EXPECT_EQ(client.broadcast("00").error().code, ErrorCode::InvalidPsbt);
}

/// The context of a signer: the keys, and how often they were asked.
struct CKeys {
  Signer signer;
  int asked = 0;
};

int sign_for_c(void* context, const spv_signer_key* key, const std::uint8_t* digest, std::uint8_t* signature,
               std::size_t* size) {
  auto& keys = *static_cast<CKeys*>(context);
  ++keys.asked;
  SignerKey own;
  own.public_key.assign(key->public_key, key->public_key + key->public_key_size);
  own.path.assign(key->path, key->path + key->path_size);
  if (key->has_origin == 0) return 1;
  own.fingerprint.emplace();
  std::copy_n(key->fingerprint, 4, own.fingerprint->begin());
  std::array<std::uint8_t, 32> hash{};
  std::copy_n(digest, hash.size(), hash.begin());
  const auto made = keys.signer.ecdsa(own, hash);
  if (!made || made->size() > *size) return 1;
  std::ranges::copy(*made, signature);
  *size = made->size();
  return 0;
}

/// The same through the C ABI.
class CSpendingTest : public SpendingTest {
 protected:
  void SetUp() override {
    const char* peers[] = {peer_.c_str()};
    const std::string data_dir = folder_.file("data");
    spv_options given{};
    given.struct_size = sizeof given;
    given.data_dir = data_dir.c_str();
    given.network = SPV_NETWORK_REGTEST;
    given.peers = peers;
    given.peer_count = 1;
    given.mempool_wait_ms = -1;
    ASSERT_EQ(spv_open(&given, &client_), SPV_OK) << spv_last_error(client_);
    spv_wallet_options wallet{};
    wallet.struct_size = sizeof wallet;
    wallet.has_birthday = 1;
    const std::string_view words = kSpendWords;
    ASSERT_EQ(spv_wallet_restore(client_, "mine", words.data(), words.size(), &wallet), SPV_OK);
    ASSERT_EQ(spv_start(client_), SPV_OK);
    ASSERT_EQ(wait_c(SPV_EVENT_SYNCED).type, SPV_EVENT_SYNCED);
  }
  void TearDown() override { spv_close(client_); }

  spv_event wait_c(int type) {
    spv_event event{};
    event.struct_size = sizeof event;
    do {
      if (spv_next_event(client_, 20'000, &event) != SPV_OK) event.type = 0;
    } while (event.type != type && event.type != 0);
    return event;
  }
  spv_payment_options pays(std::int64_t amount) {
    recipient_ = {address_.c_str(), amount};
    spv_payment_options out{};
    out.struct_size = sizeof out;
    out.recipients = &recipient_;
    out.recipient_count = 1;
    out.fee_rate = 2'000;
    return out;
  }
  static spv_payment_info info_of(const spv_payment* payment) {
    spv_payment_info info{};
    info.struct_size = sizeof info;
    EXPECT_EQ(spv_payment_get(payment, &info), SPV_OK);
    return info;
  }

  spv_client* client_ = nullptr;
  std::string address_ = address(9);
  spv_recipient recipient_{};
};

TEST_F(CSpendingTest, SendsBumpsAndTells) {
  const auto wanted = pays(200'000);
  spv_payment* first = nullptr;
  ASSERT_EQ(spv_payment_send(client_, "mine", &wanted, nullptr, 0, &first), SPV_OK) << spv_last_error(client_);
  EXPECT_EQ(wait_c(SPV_EVENT_BROADCAST).txid, std::string(info_of(first).txid));
  spv_payment* second = nullptr;
  ASSERT_EQ(spv_payment_bump(client_, "mine", info_of(first).txid, 9'000, nullptr, 0, &second), SPV_OK)
      << spv_last_error(client_);
  EXPECT_GT(info_of(second).fee, info_of(first).fee);
  spv_payment_output output{};
  output.struct_size = sizeof output;
  EXPECT_EQ(spv_payment_output_at(second, 0, &output), SPV_OK);
  EXPECT_EQ(spv_payment_output_at(second, info_of(second).output_count, &output), SPV_ERR_NOT_FOUND);
  spv_payment_input input{};
  input.struct_size = sizeof input;
  EXPECT_EQ(spv_payment_input_at(second, 0, &input), SPV_OK);
  spv_payment_free(first);
  spv_payment_free(second);
}

TEST_F(CSpendingTest, SignsWithACallbackAndBroadcasts) {
  const auto wanted = pays(200'000);
  spv_payment* payment = nullptr;
  ASSERT_EQ(spv_payment_create(client_, "mine", &wanted, &payment), SPV_OK) << spv_last_error(client_);
  CKeys keys{signer()};
  spv_signer functions{};
  functions.struct_size = sizeof functions;
  functions.context = &keys;
  functions.ecdsa = sign_for_c;
  const char* psbt = info_of(payment).psbt;
  char* signed_psbt = nullptr;
  ASSERT_EQ(spv_psbt_sign_with(client_, "mine", psbt, 0, &functions, &signed_psbt), SPV_OK) << spv_last_error(client_);
  EXPECT_GT(keys.asked, 0);
  const char* both[] = {psbt, signed_psbt};
  char* combined = nullptr;
  ASSERT_EQ(spv_psbt_combine(client_, both, 2, &combined), SPV_OK) << spv_last_error(client_);
  char* final = nullptr;
  ASSERT_EQ(spv_psbt_finalize(client_, combined, &final), SPV_OK) << spv_last_error(client_);
  char* hex = nullptr;
  ASSERT_EQ(spv_psbt_extract(client_, final, &hex), SPV_OK) << spv_last_error(client_);
  char* txid = nullptr;
  ASSERT_EQ(spv_broadcast(client_, hex, &txid), SPV_OK) << spv_last_error(client_);
  EXPECT_EQ(std::string(txid), info_of(payment).txid);
  for (char* text : {signed_psbt, combined, final, hex, txid}) spv_free(text);
  spv_payment_free(payment);
}

TEST_F(CSpendingTest, RefusesWhatIsNotGiven) {
  spv_payment* payment = nullptr;
  EXPECT_EQ(spv_payment_create(client_, "mine", nullptr, &payment), SPV_ERR_INVALID_ARGUMENT);
  auto wanted = pays(0);
  EXPECT_EQ(spv_payment_create(client_, "mine", &wanted, &payment), SPV_ERR_INVALID_ARGUMENT) << "0 is not all";
  wanted = pays(9'000'000);
  EXPECT_EQ(spv_payment_create(client_, "mine", &wanted, &payment), SPV_ERR_REFUSED);
  EXPECT_EQ(spv_payment_send_with(client_, "mine", &wanted, nullptr, &payment), SPV_ERR_INVALID_ARGUMENT);
  char* out = nullptr;
  EXPECT_EQ(spv_psbt_finalize(client_, "nonsense", &out), SPV_ERR_INVALID_PSBT);
  EXPECT_EQ(spv_broadcast(client_, nullptr, nullptr), SPV_ERR_INVALID_PSBT);
  EXPECT_EQ(payment, nullptr);
  EXPECT_EQ(out, nullptr);
}

}  // namespace
}  // namespace spv::test
