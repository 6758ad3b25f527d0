// What the wallet remembers of the payments that it made: which coins they hold, what counts, and what may be given up.
#include "wallet/own_payment.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/wallet/wallet_samples.h"
#include "wallet/news.h"

namespace spv::wallet {
namespace {

using test::TxBuilder;

class OwnPaymentTest : public ::testing::Test {
 protected:
  void SetUp() override {
    test::confirm(wallet_, first_, 10, 1);
    test::confirm(wallet_, second_, 10, 2);
    wallet_.set_scan(test::scanned_to(100));
  }
  bool add(const chain::Transaction& tx, SendState state, const OwnPaymentTerms& terms = {}) {
    return wallet_.add_own(tx, state, test::kNow, terms).has_value();
  }
  std::string refusal(const chain::Transaction& tx, const OwnPaymentTerms& terms = {}) {
    const auto history = wallet_.history().size();
    const auto added = wallet_.add_own(tx, SendState::Announced, test::kNow, terms);
    EXPECT_EQ(wallet_.history().size(), history) << "nothing is stored";
    return added ? "" : added.error().message;
  }
  static std::string why(const util::Expected<Changes, PaymentError>& result) {
    return result ? "" : result.error().message;
  }
  const Coin* coin(const chain::OutPoint& outpoint) {
    coins_ = wallet_.coins();
    for (const auto& each : coins_) {
      if (each.outpoint == outpoint) return &each;
    }
    return nullptr;
  }
  bool is_free(const chain::Transaction& made_by, std::uint32_t index = 0) {
    const Coin* found = coin(test::outpoint(made_by, index));
    return found != nullptr && found->spendable && !found->reserved;
  }
  SetApart reason(const chain::Transaction& tx) { return wallet_.entry(tx.txid())->set_apart; }
  SendState state(const chain::Transaction& tx) { return wallet_.find(tx.txid())->sending->state; }
  /// As a store would give it back.
  void reopen() {
    WalletState state = Wallet::fresh_state(wallet_.config());
    state.transactions.assign(wallet_.transactions().begin(), wallet_.transactions().end());
    state.scan = wallet_.scan();
    wallet_ = Wallet(wallet_.config(), std::move(state));
  }
  static TxBuilder pay(const chain::Transaction& from, chain::Amount change) {
    return TxBuilder()
        .spends(from)
        .sequence(0xFFFF'FFFD)
        .pays(test::foreign_script(), 100)
        .pays(test::change_script(0), change);
  }

  Wallet wallet_ = test::sample_wallet();
  std::vector<Coin> coins_;
  const chain::Transaction first_ = TxBuilder().pays(test::receive_script(0), 5'000).build();
  const chain::Transaction second_ = TxBuilder().pays(test::receive_script(1), 7'000).build();
  const chain::Transaction payment_ = pay(first_, 4'800).build();
  /// Replaces it, with another coin.
  const chain::Transaction bump_ = TxBuilder()
                                       .spends(first_)
                                       .sequence(0xFFFF'FFFD)
                                       .spends(second_)
                                       .sequence(0xFFFF'FFFD)
                                       .pays(test::foreign_script(), 100)
                                       .pays(test::change_script(0), 11'000)
                                       .build();
};

TEST_F(OwnPaymentTest, WhatIsNotSentCountsNowhereAndReservesItsCoins) {
  ASSERT_TRUE(add(payment_, SendState::NotSent));
  EXPECT_EQ(wallet_.balance(), (Balance{.confirmed = 12'000, .unconfirmed = 0, .immature = 0}));
  ASSERT_NE(coin(test::outpoint(first_)), nullptr);
  EXPECT_TRUE(coin(test::outpoint(first_))->reserved);
  EXPECT_FALSE(coin(test::outpoint(first_))->spendable);
  EXPECT_TRUE(is_free(second_));
  EXPECT_EQ(coin(test::outpoint(payment_, 1)), nullptr) << "its change is no coin yet";
  const auto entry = wallet_.history().at(0);
  EXPECT_EQ(entry.txid, payment_.txid());
  EXPECT_EQ(entry.status, TxStatus::Unconfirmed);
  EXPECT_EQ(entry.set_apart, SetApart::NotSent);
  EXPECT_EQ(entry.sending, (Sending{.state = SendState::NotSent, .peers_accepted = 0}));
  EXPECT_TRUE(wallet_.conflicts().empty());
  wallet_.set_scan(test::scanned_to(100'000));
  EXPECT_EQ(reason(payment_), SetApart::NotSent) << "for as long as the user likes";
}

TEST_F(OwnPaymentTest, WhatIsOutIsNeverForgotten) {
  for (const auto sent : {SendState::Announced, SendState::Fetched, SendState::Accepted, SendState::Uncertain}) {
    SCOPED_TRACE(to_string(sent));
    Wallet wallet = wallet_;
    ASSERT_TRUE(wallet.add_own(payment_, sent, test::kNow));
    EXPECT_EQ(wallet.balance(), (Balance{.confirmed = 12'000, .unconfirmed = -200, .immature = 0}));
    wallet.set_scan(test::scanned_to(101 + 10 * kForgetAfter));
    EXPECT_EQ(wallet.balance().unconfirmed, -200);
    EXPECT_EQ(wallet.coins().size(), 2U) << "the other coin and the change";
  }
}

TEST_F(OwnPaymentTest, ACrashAfterTheCommitLeavesItsCoinsReserved) {
  for (const auto sent : {SendState::NotSent, SendState::Announced}) {
    OwnPaymentTest::SetUp();
    auto added = wallet_.add_own(payment_, sent, test::kNow);
    ASSERT_TRUE(added);
    ASSERT_EQ(added->transactions.size(), 1U) << "the record and the reservation are one";
    EXPECT_EQ(added->transactions[0].sending->state, sent);
    reopen();
    EXPECT_EQ(state(payment_), sent);
    EXPECT_NE(refusal(pay(first_, 4'000).build()), "");
    ASSERT_TRUE(wallet_.abandon(payment_.txid()));
  }
}

TEST_F(OwnPaymentTest, WhatMustNotBeSpentIsRefused) {
  EXPECT_NE(refusal(TxBuilder().spends(TxBuilder().build()).build()).find("no coin of this wallet"), std::string::npos);
  const auto mixed = TxBuilder().spends(first_).spends(TxBuilder().build()).build();
  EXPECT_NE(refusal(mixed).find("not in this wallet"), std::string::npos);
  EXPECT_NE(refusal(TxBuilder().spends(first_).spends(second_, 1).build()).find("not in this wallet"),
            std::string::npos)
      << "no such output";
  const auto coinbase = TxBuilder::coinbase(90, test::receive_script(2), 50);
  test::confirm(wallet_, coinbase, 90, 0);
  EXPECT_NE(refusal(pay(coinbase, 1).build()).find("mined"), std::string::npos);
  wallet_.set_frozen({test::outpoint(first_)});
  EXPECT_NE(refusal(payment_).find("frozen"), std::string::npos);
  wallet_.set_frozen({});
  ASSERT_TRUE(add(payment_, SendState::NotSent));
  EXPECT_NE(refusal(pay(first_, 4'000).build()).find("reserved"), std::string::npos);
  EXPECT_NE(refusal(pay(payment_, 1).build()), "") << "nobody has its change";
  EXPECT_NE(refusal(TxBuilder().spends(payment_, 1).build()).find("does not exist"), std::string::npos);
  test::confirm(wallet_, payment_, 101);
  EXPECT_NE(refusal(payment_).find("confirmed"), std::string::npos);
  EXPECT_NE(refusal(pay(first_, 4'000).build()).find("already spent"), std::string::npos);
}

TEST_F(OwnPaymentTest, OthersMayPayAlongWhereThatIsSaid) {
  const auto theirs = test::outpoint(TxBuilder().build());
  const auto mixed = TxBuilder().spends(first_).spends(theirs).pays(test::foreign_script(), 1).build();
  ASSERT_TRUE(add(mixed, SendState::NotSent, {.replaces = {}, .with_others = true}));
  EXPECT_TRUE(coin(test::outpoint(first_))->reserved);
  const auto again = TxBuilder().spends(second_).spends(theirs).pays(test::foreign_script(), 1).build();
  EXPECT_NE(refusal(again, {.replaces = {}, .with_others = true}).find("reserved"), std::string::npos);
}

TEST_F(OwnPaymentTest, AReplacementMustSpendAllThatTheOriginalSpends) {
  ASSERT_TRUE(add(bump_, SendState::Fetched));
  const auto part = pay(first_, 4'000).build();
  EXPECT_NE(refusal(part, {.replaces = bump_.txid()}).find("both could be paid"), std::string::npos);
  const auto both = TxBuilder().spends(second_).spends(first_).pays(test::change_script(0), 9'000).build();
  EXPECT_NE(refusal(both).find("already spent"), std::string::npos) << "only where that is said";
  EXPECT_NE(refusal(both, {.replaces = both.txid()}), "");
  EXPECT_NE(refusal(both, {.replaces = payment_.txid()}).find("not in this wallet"), std::string::npos);
  EXPECT_TRUE(add(both, SendState::Fetched, {.replaces = bump_.txid()}));
  test::confirm(wallet_, bump_, 101);
  EXPECT_NE(refusal(TxBuilder().spends(first_).spends(second_).build(), {.replaces = bump_.txid()}).find("confirmed"),
            std::string::npos);
}

TEST_F(OwnPaymentTest, AReplacementCanBeReplaced) {
  ASSERT_TRUE(add(payment_, SendState::Accepted));
  ASSERT_TRUE(add(bump_, SendState::Accepted, {.replaces = payment_.txid()}));
  const auto back = TxBuilder().spends(first_).spends(second_).pays(test::change_script(0), 5'000).build();
  EXPECT_NE(refusal(back), "") << "only as a replacement";
  EXPECT_TRUE(add(back, SendState::Accepted, {.replaces = bump_.txid()})) << "the first payment spends the same coin";
}

TEST_F(OwnPaymentTest, AFinishedReplacementFindsItsOriginal) {
  EXPECT_EQ(wallet_.replaced_payment(payment_), std::nullopt) << "its coin is free";
  ASSERT_TRUE(add(payment_, SendState::Accepted));
  EXPECT_EQ(wallet_.replaced_payment(payment_), std::nullopt) << "not itself";
  EXPECT_EQ(wallet_.replaced_payment(bump_), payment_.txid());
  ASSERT_TRUE(add(bump_, SendState::Accepted, {.replaces = payment_.txid()}));
  const auto back = TxBuilder().spends(first_).spends(second_).pays(test::change_script(0), 5'000).build();
  EXPECT_EQ(wallet_.replaced_payment(back), bump_.txid()) << "the one that counts, not the one that it replaced";
  const auto part = pay(second_, 4'000).build();
  EXPECT_EQ(wallet_.replaced_payment(part), std::nullopt) << "both could be paid";
  test::confirm(wallet_, bump_, 101);
  EXPECT_EQ(wallet_.replaced_payment(back), std::nullopt);
}

TEST_F(OwnPaymentTest, WhatOthersPayForIsNotAPayment) {
  EXPECT_TRUE(wallet_.is_payment(payment_));
  const auto theirs = TxBuilder().pays(test::foreign_script(), 9'000).build();
  EXPECT_FALSE(wallet_.is_payment(TxBuilder().spends(first_).spends(theirs).pays(test::foreign_script(), 1).build()));
  const auto seen = TxBuilder().spends(first_).pays(test::foreign_script(), 1).build();
  wallet_.apply_unconfirmed(seen, test::kNow);
  EXPECT_FALSE(wallet_.is_payment(seen)) << "another copy of the wallet made it";
}

TEST_F(OwnPaymentTest, AReplacementMaySpendAFrozenCoinOfTheOriginalAndNoOther) {
  ASSERT_TRUE(add(payment_, SendState::Fetched));
  wallet_.set_frozen({test::outpoint(second_)});
  EXPECT_NE(refusal(bump_, {.replaces = payment_.txid()}).find("frozen"), std::string::npos);
  wallet_.set_frozen({test::outpoint(first_)});
  EXPECT_EQ(refusal(pay(first_, 4'000).build(), {.replaces = first_.txid()}).find("frozen"), std::string::npos);
  EXPECT_TRUE(add(bump_, SendState::Fetched, {.replaces = payment_.txid()}));
}

TEST_F(OwnPaymentTest, AReplacementCountsHoweverOftenPeersTellOfTheOriginal) {
  ASSERT_TRUE(add(payment_, SendState::Accepted));
  ASSERT_TRUE(add(bump_, SendState::Accepted, {.replaces = payment_.txid()}));
  for (const auto* tx : {&payment_, &bump_, &payment_, &payment_}) {
    EXPECT_TRUE(test::see(wallet_, *tx).empty()) << "no news, and nothing to commit";
    EXPECT_EQ(test::status_of(wallet_, bump_), TxStatus::Unconfirmed);
    EXPECT_EQ(wallet_.entry(payment_.txid())->replaced_by, bump_.txid());
  }
  test::confirm(wallet_, payment_, 101);  // a miner had it all the same
  EXPECT_EQ(reason(bump_), SetApart::Conflict);
  EXPECT_TRUE(is_free(second_)) << "a block rules the replacement out";
  wallet_.disconnect_above(test::block_at(100));
  EXPECT_FALSE(is_free(second_)) << "it may confirm again, whichever counts";
  EXPECT_TRUE(coin(test::outpoint(second_)) == nullptr || coin(test::outpoint(second_))->reserved);
}

TEST_F(OwnPaymentTest, WhatAnotherCopyOfTheWalletMadeCountsIfItIsSeenLater) {
  ASSERT_TRUE(add(payment_, SendState::Accepted));
  const auto theirs = pay(first_, 4'000).build();
  test::see(wallet_, theirs);
  EXPECT_EQ(test::status_of(wallet_, theirs), TxStatus::Unconfirmed);
  EXPECT_EQ(reason(payment_), SetApart::Conflict);
  test::see(wallet_, payment_);
  EXPECT_EQ(test::status_of(wallet_, payment_), TxStatus::Unconfirmed);
  test::see(wallet_, theirs);
  EXPECT_EQ(test::status_of(wallet_, theirs), TxStatus::Unconfirmed);
}

TEST_F(OwnPaymentTest, AForgedRivalDoesNotFreeTheOtherCoinsOfAPayment) {
  ASSERT_TRUE(add(bump_, SendState::Fetched));
  test::see(wallet_, pay(first_, 4'000).build());
  EXPECT_EQ(reason(bump_), SetApart::Conflict);
  ASSERT_NE(coin(test::outpoint(second_)), nullptr);
  EXPECT_TRUE(coin(test::outpoint(second_))->reserved);
  EXPECT_FALSE(is_free(second_));
  EXPECT_NE(refusal(pay(second_, 6'000).build()).find("reserved"), std::string::npos);
  EXPECT_NE(why(wallet_.abandon(bump_.txid())), "") << "it may confirm";
}

TEST_F(OwnPaymentTest, AReplacementThatIsNotSentLeavesTheOriginalAlone) {
  ASSERT_TRUE(add(payment_, SendState::Accepted));
  ASSERT_TRUE(add(bump_, SendState::NotSent, {.replaces = payment_.txid()}));
  EXPECT_EQ(test::status_of(wallet_, payment_), TxStatus::Unconfirmed);
  EXPECT_EQ(reason(payment_), SetApart::No);
  EXPECT_EQ(reason(bump_), SetApart::NotSent);
  EXPECT_FALSE(wallet_.entry(bump_.txid())->replaced_by);
  EXPECT_TRUE(coin(test::outpoint(second_))->reserved);
  test::see(wallet_, payment_);
  wallet_.set_send_state(bump_.txid(), SendState::Announced);
  EXPECT_EQ(reason(bump_), SetApart::No) << "now it counts";
  EXPECT_EQ(reason(payment_), SetApart::Conflict);
}

TEST_F(OwnPaymentTest, AnAbandonedOneFreesItsCoinsAndComesBackIfItIsSeen) {
  for (const bool in_block : {false, true}) {
    SCOPED_TRACE(in_block);
    Wallet wallet = wallet_;
    ASSERT_TRUE(wallet.add_own(payment_, SendState::Uncertain, test::kNow));
    const auto changes = wallet.abandon(payment_.txid());
    ASSERT_TRUE(changes) << changes.error().message;
    EXPECT_EQ(changes->transactions.at(0).sending->state, SendState::Abandoned);
    EXPECT_EQ(wallet.balance(), (Balance{.confirmed = 12'000, .unconfirmed = 0, .immature = 0}));
    EXPECT_EQ(wallet.coins().size(), 2U);
    for (const auto& each : wallet.coins()) EXPECT_TRUE(each.spendable && !each.reserved);
    EXPECT_EQ(wallet.entry(payment_.txid())->set_apart, SetApart::Abandoned);
    EXPECT_FALSE(in_block ? test::confirm(wallet, payment_, 101).empty() : test::see(wallet, payment_).empty());
    EXPECT_EQ(wallet.balance().total(), 11'800);
    EXPECT_EQ(wallet.find(payment_.txid())->sending->state, SendState::Accepted);
    wallet.disconnect_above(test::block_at(100));
    EXPECT_EQ(wallet.entry(payment_.txid())->set_apart, SetApart::No) << "a reorganisation does not abandon it again";
  }
}

TEST_F(OwnPaymentTest, WhatPaysInsteadOfAnAbandonedOneStaysWhenThatIsSeenAgain) {
  ASSERT_TRUE(add(bump_, SendState::Uncertain));
  ASSERT_TRUE(wallet_.abandon(bump_.txid()));
  ASSERT_TRUE(add(payment_, SendState::Accepted));
  EXPECT_EQ(reason(bump_), SetApart::Abandoned);
  test::see(wallet_, bump_);
  EXPECT_EQ(test::status_of(wallet_, payment_), TxStatus::Unconfirmed);
  EXPECT_EQ(reason(bump_), SetApart::Conflict);
  EXPECT_TRUE(coin(test::outpoint(second_))->reserved) << "either may confirm";
}

TEST_F(OwnPaymentTest, WhatAPeerTookCannotBeAbandonedUntilABlockRulesItOut) {
  EXPECT_NE(why(wallet_.abandon(payment_.txid())).find("not in this wallet"), std::string::npos);
  EXPECT_NE(why(wallet_.abandon(first_.txid())).find("confirmed"), std::string::npos);
  ASSERT_TRUE(add(payment_, SendState::Announced));
  wallet_.set_send_state(payment_.txid(), SendState::Fetched);
  EXPECT_NE(why(wallet_.abandon(payment_.txid())).find("fetched"), std::string::npos);
  wallet_.set_send_state(payment_.txid(), SendState::Accepted, 2);
  EXPECT_NE(why(wallet_.abandon(payment_.txid())).find("accepted"), std::string::npos);
  const auto rival = pay(first_, 4'000).build();
  test::see(wallet_, rival);
  EXPECT_NE(why(wallet_.abandon(payment_.txid())), "") << "either may confirm";
  test::confirm(wallet_, rival, 101);
  EXPECT_EQ(why(wallet_.abandon(payment_.txid())), "");
  EXPECT_NE(why(wallet_.abandon(payment_.txid())).find("already abandoned"), std::string::npos);
  EXPECT_NE(why(wallet_.abandon(rival.txid())).find("confirmed"), std::string::npos);
  const auto others = pay(second_, 6'000).build();
  test::see(wallet_, others);
  EXPECT_NE(why(wallet_.abandon(others.txid())).find("not made by this wallet"), std::string::npos);
}

TEST_F(OwnPaymentTest, WhatSpendsFromAnAbandonedOneGoesWithIt) {
  ASSERT_TRUE(add(payment_, SendState::Uncertain));
  const auto child = TxBuilder().spends(payment_, 1).spends(second_).pays(test::change_script(1), 11'500).build();
  ASSERT_TRUE(add(child, SendState::Uncertain));
  EXPECT_EQ(wallet_.balance().total(), 11'500);
  const auto changes = wallet_.abandon(payment_.txid());
  ASSERT_TRUE(changes);
  EXPECT_EQ(changes->transactions.size(), 2U);
  EXPECT_EQ(wallet_.balance().total(), 12'000);
  EXPECT_TRUE(is_free(first_) && is_free(second_));
  ASSERT_TRUE(add(payment_, SendState::Announced)) << "sent once more";
  EXPECT_EQ(reason(child), SetApart::Abandoned);
  ASSERT_TRUE(add(child, SendState::Announced));
  wallet_.set_send_state(child.txid(), SendState::Accepted, 1);
  EXPECT_NE(why(wallet_.abandon(payment_.txid())), "") << "a peer has the child, so the parent too";
}

TEST_F(OwnPaymentTest, EvidenceIsNeverTakenBack) {
  EXPECT_TRUE(wallet_.set_send_state(payment_.txid(), SendState::Accepted).empty()) << "unknown";
  EXPECT_TRUE(wallet_.set_send_state(first_.txid(), SendState::Accepted).empty()) << "a stranger's";
  ASSERT_TRUE(add(payment_, SendState::NotSent));
  const auto set = [&](SendState next, std::uint32_t peers = 0) {
    static_cast<void>(wallet_.set_send_state(payment_.txid(), next, peers));
    return state(payment_);
  };
  EXPECT_EQ(set(SendState::Abandoned), SendState::NotSent) << "abandon() asks first";
  EXPECT_EQ(set(SendState::Announced), SendState::Announced);
  EXPECT_EQ(set(SendState::NotSent), SendState::Announced);
  EXPECT_EQ(set(SendState::Uncertain), SendState::Uncertain);
  EXPECT_EQ(set(SendState::Announced), SendState::Announced);
  EXPECT_EQ(set(SendState::Fetched), SendState::Fetched);
  EXPECT_EQ(set(SendState::Uncertain), SendState::Fetched);
  EXPECT_EQ(set(SendState::Accepted, 2), SendState::Accepted);
  EXPECT_EQ(set(SendState::Uncertain, 1), SendState::Accepted);
  EXPECT_EQ(wallet_.find(payment_.txid())->sending->peers_accepted, 2U);
  EXPECT_TRUE(wallet_.set_send_state(payment_.txid(), SendState::Accepted, 2).empty()) << "no news";
  test::confirm(wallet_, payment_, 101);
  EXPECT_TRUE(wallet_.set_send_state(payment_.txid(), SendState::Accepted, 9).empty());
}

TEST_F(OwnPaymentTest, ASightingProvesThatAPeerHasIt) {
  for (const auto sent : {SendState::NotSent, SendState::Announced, SendState::Fetched, SendState::Uncertain}) {
    Wallet wallet = wallet_;
    ASSERT_TRUE(wallet.add_own(payment_, sent, test::kNow));
    EXPECT_FALSE(test::see(wallet, payment_).empty()) << to_string(sent);
    EXPECT_EQ(wallet.find(payment_.txid())->sending, (Sending{.state = SendState::Accepted, .peers_accepted = 1}));
    EXPECT_EQ(wallet.balance().unconfirmed, -200);
  }
}

TEST_F(OwnPaymentTest, AFrozenCoinCountsAndIsNotSpendable) {
  wallet_.set_frozen({test::outpoint(first_)});
  EXPECT_EQ(wallet_.balance().confirmed, 12'000);
  EXPECT_TRUE(coin(test::outpoint(first_))->frozen);
  EXPECT_FALSE(coin(test::outpoint(first_))->spendable);
  EXPECT_TRUE(is_free(second_));
  wallet_.set_frozen({});
  EXPECT_TRUE(is_free(first_));
}

TEST_F(OwnPaymentTest, OnlyChangeThatWeMadeAndPeersTookIsOurOwn) {
  const auto change = [&](const chain::Transaction& tx, std::uint32_t index = 1) {
    const Coin* found = coin(test::outpoint(tx, index));
    return found != nullptr && found->own_change;
  };
  for (const auto sent : {SendState::Announced, SendState::Uncertain, SendState::Fetched, SendState::Accepted}) {
    Wallet wallet = wallet_;
    ASSERT_TRUE(wallet.add_own(payment_, sent, test::kNow));
    const auto coins = wallet.coins();
    EXPECT_EQ(coins.back().own_change, is_taken(sent)) << to_string(sent);
    EXPECT_FALSE(coins.back().spendable);
  }
  ASSERT_TRUE(add(payment_, SendState::Fetched));
  EXPECT_TRUE(change(payment_));
  EXPECT_EQ(coin(test::outpoint(payment_, 1))->ancestors, 1U);
  const auto forged = pay(second_, 6'000).build();
  test::see(wallet_, forged);
  EXPECT_FALSE(change(forged)) << "all inputs are ours, but we did not make it";
  const auto gift = TxBuilder().pays(test::receive_script(3), 900).build();
  test::see(wallet_, gift);
  EXPECT_FALSE(change(gift, 0));
  const auto on_gift = TxBuilder().spends(gift).pays(test::change_script(2), 800).build();
  ASSERT_TRUE(add(on_gift, SendState::Accepted));
  EXPECT_FALSE(change(on_gift, 0)) << "it rests on a stranger's";
  test::confirm(wallet_, gift, 101);
  EXPECT_TRUE(change(on_gift, 0));
}

TEST_F(OwnPaymentTest, AncestorsAreCountedUpToTheLimitOfNodes) {
  chain::Transaction last = first_;
  for (std::uint32_t n = 1; n <= 40; ++n) {
    last = TxBuilder().spends(last).pays(test::change_script(0), 5'000 - n).build();
    ASSERT_TRUE(add(last, SendState::Accepted)) << n;
    ASSERT_NE(coin(test::outpoint(last)), nullptr);
    EXPECT_EQ(coin(test::outpoint(last))->ancestors, std::min(n, kMaxAncestors + 1)) << n;
  }
}

TEST_F(OwnPaymentTest, ATransactionOfTwoInputsOfOneParentHasOneAncestor) {
  const auto split =
      TxBuilder().spends(first_).pays(test::change_script(0), 2'000).pays(test::change_script(1), 2'000).build();
  ASSERT_TRUE(add(split, SendState::Fetched));
  const auto joined = TxBuilder().spends(split, 0).spends(split, 1).pays(test::change_script(2), 3'000).build();
  ASSERT_TRUE(add(joined, SendState::Fetched));
  EXPECT_EQ(coin(test::outpoint(joined))->ancestors, 2U);
}

TEST_F(OwnPaymentTest, WhatAnotherCopyMadeIsTakenUpWithItsWitness) {
  const util::Bytes signature{9};
  const auto bare = TxBuilder(5).spends(first_).pays(test::foreign_script(), 1).build();
  const auto full = TxBuilder(5).spends(first_).witness(signature).pays(test::foreign_script(), 1).build();
  ASSERT_EQ(bare.txid(), full.txid());
  test::see(wallet_, bare);
  ASSERT_TRUE(add(full, SendState::Announced));
  EXPECT_TRUE(wallet_.find(full.txid())->tx.has_witness());
  EXPECT_EQ(state(full), SendState::Accepted) << "a peer has told of it";
  EXPECT_TRUE(wallet_.add_own(full, SendState::NotSent, test::kNow)->empty()) << "it is out";
}

TEST_F(OwnPaymentTest, ChangeThatWidensTheWindowOwesTheScanOfWhatIsWatchedNow) {
  const std::uint32_t last = wallet_.watched(1) - 1;
  const auto changes = wallet_.add_own(TxBuilder().spends(first_).pays(test::change_script(last), 4'000).build(),
                                       SendState::NotSent, test::kNow);
  ASSERT_TRUE(changes);
  EXPECT_TRUE(changes->widened);
  ASSERT_TRUE(changes->scan);
  EXPECT_EQ(changes->scan->backfill, (HeightRange{.from = 1, .to = 100}));
  EXPECT_EQ(wallet_.scan().scanned_to.height, 100);
}

TEST_F(OwnPaymentTest, WhatIsNotSentIsNoNews) {
  const HistorySnapshot before(wallet_.history());
  ASSERT_TRUE(add(payment_, SendState::NotSent));
  EXPECT_TRUE(before.until(wallet_.history()).empty());
  const HistorySnapshot kept(wallet_.history());
  wallet_.set_send_state(payment_.txid(), SendState::Announced);
  EXPECT_EQ(kept.until(wallet_.history()).fresh, (NewsItem{.count = 1, .net = -200}));
}

}  // namespace
}  // namespace spv::wallet
