// What a wallet offers to payments, and what it knows of transactions to be replaced.
#include "wallet/spend/spend_source.h"

#include <gtest/gtest.h>

#include "tests/wallet/wallet_samples.h"

namespace spv::wallet::spend {
namespace {

using spv::test::TxBuilder;
namespace samples = spv::test;

class SpendSourceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    samples::confirm(wallet_, paid_, 10, 1);
    wallet_.set_scan(samples::scanned_to(100));
  }
  SpendSource source() const { return {wallet_, {.tip = {.height = 100, .time = 1'000}, .now = 1'000}}; }
  const Candidate* find(const SpendContext& context, const chain::Transaction& tx, std::uint32_t index) {
    for (const auto& coin : context.coins) {
      if (coin.outpoint == chain::OutPoint{tx.txid(), index}) return &coin;
    }
    return nullptr;
  }

  Wallet wallet_ = samples::sample_wallet();
  const chain::Transaction paid_ = TxBuilder().pays(samples::receive_script(0), 50'000).build();
  const chain::Transaction spend_ = TxBuilder()
                                        .spends(paid_)
                                        .sequence(0xFFFF'FFFD)
                                        .pays(samples::foreign_script(), 10'000)
                                        .pays(samples::change_script(0), 39'000)
                                        .build();
};

TEST_F(SpendSourceTest, ConfirmedCoinsCanBeSpentAndWeighWhatTheirScriptSays) {
  const auto from = source();
  const auto context = from.context();
  const Candidate* coin = find(context, paid_, 0);
  ASSERT_NE(coin, nullptr);
  EXPECT_EQ(coin->standing, CoinStanding::Confirmed);
  ASSERT_TRUE(coin->weight);
  EXPECT_EQ(coin->weight->weight, 271);
  EXPECT_EQ(context.solve(*coin->key)->script_pubkey, samples::receive_script(0));
  EXPECT_EQ(context.previous(paid_.txid())->txid(), paid_.txid());
}

TEST_F(SpendSourceTest, AStrangersUnconfirmedCoinIsNotOurs) {
  const auto loose = TxBuilder(7).pays(samples::receive_script(1), 9'000).build();
  static_cast<void>(wallet_.apply_unconfirmed(loose, samples::kNow));
  const auto from = source();
  EXPECT_EQ(find(from.context(), loose, 0)->standing, CoinStanding::Foreign);
}

TEST_F(SpendSourceTest, ChangeGoesToAScriptThatWasNeverUsed) {
  ASSERT_EQ(source().context().change.size(), 1U);
  EXPECT_EQ(source().context().change[0].script, samples::change_script(0));
  ASSERT_TRUE(wallet_.add_own(spend_, SendState::Accepted, samples::kNow));
  const auto from = source();
  EXPECT_EQ(from.context().change[0].script, samples::change_script(1));
}

TEST_F(SpendSourceTest, OwnUnconfirmedChangeStandsApart) {
  ASSERT_TRUE(wallet_.add_own(spend_, SendState::Accepted, samples::kNow));
  const auto from = source();
  const Candidate* change = find(from.context(), spend_, 1);
  ASSERT_NE(change, nullptr);
  EXPECT_EQ(change->standing, CoinStanding::OwnChange);
  EXPECT_EQ(change->ancestors, 1U);
  EXPECT_EQ(find(from.context(), paid_, 0), nullptr) << "spent";
}

TEST_F(SpendSourceTest, AnOriginalComesWithItsCoinsItsChangeAndItsDescendants) {
  ASSERT_TRUE(wallet_.add_own(spend_, SendState::Accepted, samples::kNow));
  const auto child = TxBuilder()
                         .spends(spend_, 1)
                         .sequence(0xFFFF'FFFD)
                         .pays(samples::foreign_script(), 5'000)
                         .pays(samples::change_script(1), 33'500)
                         .build();
  ASSERT_TRUE(wallet_.add_own(child, SendState::Accepted, samples::kNow));
  const auto original = source().original(spend_.txid());
  ASSERT_TRUE(original);
  EXPECT_FALSE(original->confirmed);
  ASSERT_EQ(original->inputs.size(), 1U);
  EXPECT_EQ(original->inputs[0].value(), 50'000);
  EXPECT_TRUE(original->inputs[0].weight);
  EXPECT_FALSE(original->outputs[0].key);
  EXPECT_TRUE(original->outputs[1].change);
  ASSERT_EQ(original->descendants.size(), 1U);
  EXPECT_EQ(original->descendants[0].txid, child.txid());
  EXPECT_EQ(original->descendants[0].fee, 500);
  const auto parent = source().parent(child.txid());
  ASSERT_TRUE(parent);
  EXPECT_EQ(parent->fee, 1'500) << "with its unconfirmed ancestors";
  EXPECT_EQ(parent->vsize, estimated_vsize(child) + estimated_vsize(spend_));
}

TEST_F(SpendSourceTest, TheFeeOfAParentIsKnownOnlyIfThatOfAllIs) {
  const auto loose = TxBuilder(7).pays(samples::receive_script(1), 9'000).build();
  static_cast<void>(wallet_.apply_unconfirmed(loose, samples::kNow));
  EXPECT_EQ(source().parent(loose.txid())->fee, std::nullopt);
  const auto child = TxBuilder().spends(loose).sequence(0xFFFF'FFFD).pays(samples::change_script(1), 8'000).build();
  ASSERT_TRUE(wallet_.add_own(child, SendState::Accepted, samples::kNow));
  const auto parent = source().parent(child.txid());
  EXPECT_EQ(parent->fee, std::nullopt);
  EXPECT_EQ(parent->vsize, estimated_vsize(child) + estimated_vsize(loose));
  EXPECT_FALSE(parent->confirmed);
  EXPECT_TRUE(source().parent(paid_.txid())->confirmed);
  EXPECT_EQ(source().parent(paid_.txid())->vsize, 0) << "nothing of it waits for a block";
  EXPECT_EQ(source().parent(chain::Txid{}).error().code, "unknown-txid");
}

TEST_F(SpendSourceTest, ACoinbaseIsSpentAfterAHundredConfirmations) {
  const auto old = TxBuilder::coinbase(1, samples::receive_script(2), 1'000);
  const auto young = TxBuilder::coinbase(2, samples::receive_script(3), 1'000);
  samples::confirm(wallet_, old, 1, 0);
  samples::confirm(wallet_, young, 2, 0);
  const auto from = source();
  EXPECT_EQ(find(from.context(), old, 0)->standing, CoinStanding::Confirmed);
  EXPECT_EQ(find(from.context(), young, 0)->standing, CoinStanding::Immature);
}

TEST_F(SpendSourceTest, AWalletWithoutChangeAddressesTakesItBackToItsOwn) {
  auto config = samples::sample_config();
  config.key_chains.pop_back();
  const Wallet plain(config, Wallet::fresh_state(config));
  const SpendSource from(plain, {.tip = {.height = 100, .time = 1'000}, .now = 1'000});
  ASSERT_EQ(from.context().change.size(), 1U);
  EXPECT_EQ(from.context().change[0].script, samples::receive_script(0));
}

TEST_F(SpendSourceTest, AnInputOfAnotherWalletHasNoWeight) {
  const auto shared = TxBuilder()
                          .spends(chain::OutPoint{paid_.txid(), 1})
                          .spends(chain::OutPoint{chain::Txid{}, 0})
                          .pays(samples::receive_script(1), 5'000)
                          .build();
  samples::see(wallet_, shared);
  const auto original = source().original(shared.txid());
  ASSERT_TRUE(original);
  ASSERT_EQ(original->inputs.size(), 2U);
  EXPECT_FALSE(original->inputs[0].weight) << "an output that the transaction does not have";
  EXPECT_FALSE(original->inputs[1].weight);
  EXPECT_TRUE(original->outputs[0].key);
  EXPECT_FALSE(original->outputs[0].change);
}

TEST_F(SpendSourceTest, WhatIsUnknownOrConflictedCannotBeReplaced) {
  EXPECT_EQ(source().original(chain::Txid{}).error().code, "unknown-txid");
  ASSERT_TRUE(wallet_.add_own(spend_, SendState::Accepted, samples::kNow));
  const auto rival = TxBuilder(3).spends(paid_).pays(samples::foreign_script(), 49'000).build();
  samples::confirm(wallet_, rival, 100, 1);
  EXPECT_EQ(source().original(spend_.txid()).error().code, "nothing-to-bump");
  EXPECT_TRUE(source().original(rival.txid())->confirmed);
}

}  // namespace
}  // namespace spv::wallet::spend
