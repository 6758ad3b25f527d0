#include "wallet/wallet.h"

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "tests/wallet/wallet_samples.h"
#include "util/hex.h"
#include "util/rng.h"
#include "wallet/anchors.h"

namespace spv::wallet {
namespace {

using test::TxBuilder;

class WalletTest : public ::testing::Test {
 protected:
  Wallet wallet_ = test::sample_wallet();
  const chain::Transaction paid_ = TxBuilder().pays(test::receive_script(0), 5'000).build();
};

TEST_F(WalletTest, AFreshWalletHasScannedNothingAndWatchesTheLookAhead) {
  EXPECT_EQ(wallet_.scan().scanned_to.height, 0) << "one below its birthday";
  EXPECT_EQ(wallet_.watched_elements().size(), 400U);
  EXPECT_EQ(wallet_.watched_elements()[0].size(), 20U);
  EXPECT_TRUE(wallet_.watched_outpoints().empty());
}

TEST_F(WalletTest, P4_OneElementForOneKeyOfSeveralScriptTypes) {
  WalletConfig config = test::sample_config(2);
  config.key_chains.clear();
  for (const std::string type : {"wpkh", "pkh"}) {
    const auto descriptor = test::parse_descriptors(type + "(" + test::kXpub + "/0/*)").at(0);
    config.key_chains.push_back({.descriptor = descriptor, .change = false});
  }
  EXPECT_EQ(Wallet(config, Wallet::fresh_state(config)).watched_elements().size(), 20U);
}

TEST_F(WalletTest, RelevantIsWhatPaysUsSpendsOursOrConflictsWithWhatWeHold) {
  const auto spend = TxBuilder().spends(paid_).build();
  const auto rival = TxBuilder().spends(paid_.inputs[0].previous).build();
  const auto spends_foreign_output = TxBuilder().spends(test::outpoint(paid_, 1)).build();
  EXPECT_TRUE(wallet_.is_relevant(paid_));
  EXPECT_FALSE(wallet_.is_relevant(spend));
  EXPECT_FALSE(wallet_.is_relevant(rival));
  test::see(wallet_, paid_);
  EXPECT_TRUE(wallet_.is_relevant(spend));
  EXPECT_TRUE(wallet_.is_relevant(rival));
  EXPECT_FALSE(wallet_.is_relevant(spends_foreign_output));
  EXPECT_FALSE(wallet_.is_relevant(TxBuilder().pays(test::foreign_script(), 1).build()));
}

TEST_F(WalletTest, IrrelevantTransactionsChangeNothing) {
  EXPECT_TRUE(test::confirm(wallet_, TxBuilder().pays(test::foreign_script(), 1).build(), 10).empty());
  EXPECT_TRUE(wallet_.history().empty());
}

TEST_F(WalletTest, W1_BadAmountsAreNeverApplied) {
  const auto negative = TxBuilder().pays(test::receive_script(0), -1).build();
  const auto above = TxBuilder().pays(test::receive_script(0), chain::kMaxMoney + 1).build();
  const auto overflow =
      TxBuilder().pays(test::receive_script(0), chain::kMaxMoney).pays(test::receive_script(1), chain::kMaxMoney);
  for (const auto& tx : {negative, above, overflow.build()}) {
    EXPECT_TRUE(test::see(wallet_, tx).empty());
    EXPECT_TRUE(test::confirm(wallet_, tx, 10).empty());
  }
  EXPECT_EQ(wallet_.balance(), Balance{});
}

TEST_F(WalletTest, W2_MalformedTransactionsAndLooseCoinbasesAreNeverApplied) {
  const auto coin = test::outpoint(TxBuilder().build());
  const auto twice = TxBuilder().spends(coin).spends(coin).pays(test::receive_script(0), 1).build();
  auto no_inputs = paid_;
  no_inputs.inputs.clear();
  for (const auto& tx : {twice, no_inputs}) EXPECT_TRUE(test::confirm(wallet_, tx, 10).empty());
  const auto coinbase = TxBuilder::coinbase(10, test::receive_script(0), 50);
  EXPECT_TRUE(test::see(wallet_, coinbase).empty());
  EXPECT_FALSE(wallet_.knows(coinbase.txid()));
  EXPECT_FALSE(test::confirm(wallet_, coinbase, 10, 0).empty());
}

TEST_F(WalletTest, W4_AConfirmedDoubleSpendToSomeoneElseTakesAPendingPaymentAway) {
  test::see(wallet_, paid_);
  const auto child = TxBuilder().spends(paid_).pays(test::change_script(0), 4'000).build();
  test::see(wallet_, child);
  EXPECT_EQ(wallet_.balance().unconfirmed, 4'000);
  const auto thief = TxBuilder().spends(paid_.inputs[0].previous).pays(test::foreign_script(), 5'000).build();
  const auto changes = test::confirm(wallet_, thief, 10);
  ASSERT_EQ(changes.transactions.size(), 1U);
  EXPECT_EQ(wallet_.balance(), Balance{});
  EXPECT_EQ(test::status_of(wallet_, paid_), TxStatus::Conflicted);
  EXPECT_EQ(test::status_of(wallet_, child), TxStatus::Conflicted);
}

TEST_F(WalletTest, W4_ADoubleSpendFreesTheOtherCoinsOfTheLoser) {
  const auto other = TxBuilder().pays(test::receive_script(1), 700).build();
  test::confirm(wallet_, paid_, 10), test::confirm(wallet_, other, 10, 2);
  test::see(wallet_, TxBuilder().spends(paid_).spends(other).pays(test::foreign_script(), 1).build());
  EXPECT_EQ(wallet_.balance().total(), 0);
  test::confirm(wallet_, TxBuilder().spends(paid_).pays(test::change_script(0), 4'000).build(), 11);
  EXPECT_EQ(wallet_.balance(), (Balance{.confirmed = 4'700, .unconfirmed = 0, .immature = 0}));
}

TEST_F(WalletTest, W5_AReplacementCountsInsteadOfWhatItReplaces) {
  test::confirm(wallet_, paid_, 10);
  test::see(wallet_, TxBuilder().spends(paid_).pays(test::change_script(0), 4'900).build());
  test::see(wallet_, TxBuilder().spends(paid_).pays(test::change_script(0), 4'500).build());
  EXPECT_EQ(wallet_.balance().total(), 4'500);
  EXPECT_EQ(wallet_.coins().size(), 1U);
}

TEST_F(WalletTest, W6_AChildOfAMalleatedParentIsNoMoney) {
  const util::Bytes altered{0x51};
  const auto coin = test::outpoint(TxBuilder().build());
  const auto parent = TxBuilder(1).spends(coin).pays(test::receive_script(0), 5'000).build();
  const auto malleated = TxBuilder(1).spends(coin, altered).pays(test::receive_script(0), 5'000).build();
  const auto child = TxBuilder().spends(parent).pays(test::change_script(0), 4'000).build();
  ASSERT_NE(parent.txid(), malleated.txid());
  test::see(wallet_, parent), test::see(wallet_, child);
  test::confirm(wallet_, malleated, 10);
  EXPECT_EQ(wallet_.balance(), (Balance{.confirmed = 5'000, .unconfirmed = 0, .immature = 0}));
  EXPECT_EQ(test::status_of(wallet_, child), TxStatus::Conflicted);
}

TEST_F(WalletTest, W9_AGapJumpWithinABlockWidensTheWindowAndFindsWhatWasShownBefore) {
  const auto far = TxBuilder().pays(test::receive_script(350), 7).build();
  const auto edge = TxBuilder().pays(test::receive_script(190), 5).build();
  EXPECT_TRUE(test::confirm(wallet_, far, 10, 1).empty()) << "not watched yet";
  const auto changes = test::confirm(wallet_, edge, 10, 2);
  EXPECT_TRUE(changes.widened);
  EXPECT_EQ(changes.transactions.size(), 2U);
  ASSERT_EQ(changes.key_chains.size(), 1U);
  EXPECT_EQ(changes.key_chains[0].state, (KeyChainState{.watched = 400, .last_used = 350, .next_unissued = 0}));
  EXPECT_EQ(wallet_.balance().confirmed, 12);
}

TEST_F(WalletTest, AWiderWindowFindsOutputsOfTransactionsHeldAlready) {
  const auto both = TxBuilder().pays(test::receive_script(0), 5).pays(test::receive_script(390), 7).build();
  test::confirm(wallet_, both, 10);
  EXPECT_EQ(wallet_.balance().confirmed, 5);
  const auto changes = test::confirm(wallet_, TxBuilder().pays(test::receive_script(185), 1).build(), 11);
  EXPECT_TRUE(changes.widened);
  EXPECT_EQ(wallet_.balance().confirmed, 13);
  EXPECT_EQ(changes.key_chains.at(0).state.last_used, 390U);
  EXPECT_EQ(changes.key_chains.at(0).state.watched, 800U) << "390 in turn is near the end of the wider window";
}

TEST_F(WalletTest, W14_AnAddressThatIsAlsoInAChainIsUsedThere) {
  auto config = test::sample_config(2);
  const auto fixed = test::parse_descriptors("raw(" + util::to_hex(test::receive_script(18)) + ")").at(0);
  config.key_chains.insert(config.key_chains.begin(), {.descriptor = fixed, .change = false});
  Wallet wallet(config, Wallet::fresh_state(config));
  const auto tx = TxBuilder().pays(test::receive_script(18), 100).build();
  const auto changes = test::confirm(wallet, tx, 10);
  EXPECT_EQ(changes.key_chains.size(), 2U);
  EXPECT_TRUE(changes.widened) << "the gap goes on from there";
  EXPECT_EQ(wallet.issue_address_of(1, false)->entry.index, 19U);
  EXPECT_EQ(wallet.balance().confirmed, 100) << "and counts once";
  std::size_t listed = 0;
  const auto addresses = *wallet.addresses();
  for (const auto& entry : addresses) {
    if (entry.script != test::receive_script(18)) continue;
    ++listed;
    EXPECT_TRUE(entry.used);
    EXPECT_EQ(entry.received, 100);
  }
  EXPECT_EQ(listed, 1U);
}

TEST_F(WalletTest, W14_WhatAnEarlierVersionLeftOutIsMarkedAfterLoading) {
  auto config = test::sample_config(2);
  const auto fixed = test::parse_descriptors("raw(" + util::to_hex(test::receive_script(18)) + ")").at(0);
  config.key_chains.insert(config.key_chains.begin(), {.descriptor = fixed, .change = false});
  Wallet made(config, Wallet::fresh_state(config));
  test::confirm(made, TxBuilder().pays(test::receive_script(18), 100).build(), 10);
  WalletState stored = Wallet::fresh_state(config);
  stored.transactions = {made.transactions().front()};
  stored.key_chains[0].last_used = 0;
  stored.scan = test::scanned_to(50);
  Wallet wallet(config, stored);
  const auto changes = wallet.mark_shared_scripts();
  ASSERT_EQ(changes.key_chains.size(), 1U);
  EXPECT_EQ(changes.key_chains[0].state.last_used, 18U);
  ASSERT_TRUE(changes.scan);
  EXPECT_EQ(changes.scan->backfill, (HeightRange{1, 50})) << "more is watched than was when these were scanned";
  EXPECT_EQ(wallet.issue_address_of(1, false)->entry.index, 19U);
  EXPECT_TRUE(wallet.mark_shared_scripts().key_chains.empty()) << "once";
}

TEST_F(WalletTest, W10_ASpendSeenBeforeWhatItSpends) {
  const auto spend = TxBuilder().spends(paid_).pays(test::foreign_script(), 4'000).build();
  EXPECT_TRUE(test::see(wallet_, spend).empty());
  const auto changes = test::confirm(wallet_, paid_, 10);
  EXPECT_EQ(changes.transactions.size(), 2U);
  EXPECT_EQ(wallet_.balance().total(), 0);
}

TEST_F(WalletTest, W10_ABlockLeftBehindDoesNotConfirmAnOrphan) {
  const auto spend = TxBuilder().spends(paid_).pays(test::foreign_script(), 4'000).build();
  test::confirm(wallet_, spend, 11);
  wallet_.disconnect_above(test::block_at(10));
  test::confirm(wallet_, paid_, 10);
  EXPECT_EQ(wallet_.balance(), (Balance{.confirmed = 5'000, .unconfirmed = -5'000, .immature = 0}));
}

TEST_F(WalletTest, R8_OrphansAreBounded) {
  const auto spend = TxBuilder().spends(paid_).pays(test::foreign_script(), 4'000).build();
  test::see(wallet_, spend);
  for (std::size_t i = 0; i < Orphans::kMaxCount; ++i) test::see(wallet_, TxBuilder().build());
  EXPECT_EQ(test::see(wallet_, paid_).transactions.size(), 1U) << "the spend made room for others";
}

TEST_F(WalletTest, W10_TheSameEventAHundredTimesIsOne) {
  test::see(wallet_, paid_);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(test::see(wallet_, paid_).empty());
  test::confirm(wallet_, paid_, 10);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(test::confirm(wallet_, paid_, 10).empty());
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(test::see(wallet_, paid_).empty());
  EXPECT_EQ(wallet_.balance().total(), 5'000);
}

TEST_F(WalletTest, W10_AReorganisationMovesATransactionToAnotherBlock) {
  test::confirm(wallet_, paid_, 10);
  wallet_.set_scan(test::scanned_to(10));
  const auto undone = wallet_.disconnect_above(test::block_at(8));
  EXPECT_EQ(undone.transactions.size(), 1U);
  EXPECT_EQ(undone.scan->scanned_to, test::block_at(8));
  EXPECT_EQ(wallet_.balance().unconfirmed, 5'000);
  test::confirm(wallet_, paid_, 11, 4, 1);
  EXPECT_EQ(wallet_.find(paid_.txid())->confirmation, test::confirmed_at(11, 4, 1));
  EXPECT_EQ(wallet_.balance().confirmed, 5'000);
}

TEST_F(WalletTest, DisconnectingClampsTheScan) {
  for (chain::Height h = 1; h <= 20; ++h) wallet_.set_scan(test::scanned_to(h));
  ScanState scan = wallet_.scan();
  scan.backfill = HeightRange{.from = 3, .to = 18};
  wallet_.set_scan(scan);
  wallet_.disconnect_above(test::block_at(15));
  EXPECT_EQ(wallet_.scan().scanned_to, test::block_at(15));
  EXPECT_EQ(wallet_.scan().backfill, (HeightRange{.from = 3, .to = 15}));
  EXPECT_EQ(wallet_.scan().anchors.back(), test::block_at(15));
  wallet_.disconnect_above(test::block_at(2));
  EXPECT_FALSE(wallet_.scan().backfill);
  EXPECT_TRUE(wallet_.disconnect_above(test::block_at(2)).empty()) << "nothing is above";
}

TEST_F(WalletTest, AnchorsAreBoundedAndReachFarBack) {
  for (chain::Height h = 1; h <= 5'000; ++h) wallet_.set_scan(test::scanned_to(h));
  const auto& anchors = wallet_.scan().anchors;
  EXPECT_LE(anchors.size(), kMaxAnchors);
  for (std::size_t i = 0; i < 12; ++i) {
    EXPECT_EQ(anchors[anchors.size() - 1 - i], test::block_at(static_cast<chain::Height>(5'000 - i)));
  }
  for (std::size_t i = 1; i < anchors.size(); ++i) {
    const auto gap = anchors[i].height - anchors[i - 1].height;
    EXPECT_LE(gap, 2 * (5'001 - anchors[i].height) + 2) << "a fork costs at most a few times its depth";
  }
  EXPECT_LE(anchors.front().height, 1'000);
}

TEST_F(WalletTest, AnchorsGivenAreKeptAndThoseAboveTheScanAreNot) {
  ScanState scan = test::scanned_to(20);
  scan.anchors = {test::block_at(12), test::block_at(16), test::block_at(25)};
  const auto changes = wallet_.set_scan(scan);
  const std::vector<chain::BlockRef> expected{test::block_at(12), test::block_at(16), test::block_at(20)};
  EXPECT_EQ(changes.scan->anchors, expected);
  EXPECT_TRUE(wallet_.set_scan(scan).empty()) << "the same again is no change";
}

TEST_F(WalletTest, W14_AnIssuedAddressComesWithItsChangeToCommit) {
  const auto first = wallet_.issue_address(false, true);
  const auto second = wallet_.issue_address(false, true);
  EXPECT_EQ(first->entry.script, test::receive_script(0));
  EXPECT_EQ(second->entry.script, test::receive_script(1));
  EXPECT_EQ(second->changes.key_chains.at(0).state.next_unissued, 2U);
  EXPECT_EQ(wallet_.issue_address(true, true)->entry.script, test::change_script(0));
  for (int i = 2; i < 20; ++i) EXPECT_TRUE(wallet_.issue_address(false, true));
  EXPECT_FALSE(wallet_.issue_address(false, true)) << "the gap limit";
}

TEST(Changes, MergeKeepsTheLaterValueOfTheSameThing) {
  TxRecord early{.txid = {}, .tx = {}, .confirmation = {}, .first_seen = 1, .sequence = 1, .proof = {}};
  TxRecord late = early;
  late.sequence = 2;
  const KeyChainState wide{.watched = 9, .last_used = std::nullopt, .next_unissued = 0};
  Changes changes{.transactions = {early}, .key_chains = {{0, {}}}, .scan = test::scanned_to(1), .widened = true};
  changes.merge({.transactions = {late}, .key_chains = {{0, wide}, {1, {}}}, .scan = {}, .widened = false});
  ASSERT_EQ(changes.transactions.size(), 1U);
  EXPECT_EQ(changes.transactions[0].sequence, 2U);
  ASSERT_EQ(changes.key_chains.size(), 2U);
  EXPECT_EQ(changes.key_chains[0].state.watched, 9U);
  EXPECT_EQ(changes.scan, test::scanned_to(1));
  EXPECT_TRUE(changes.widened);
  EXPECT_FALSE(changes.empty());
}

// One set of events: chains within a block, spends without change, double spends with descendants, a coinbase; most
// of them twice.
class WalletOrder : public ::testing::Test {
 protected:
  struct Event {
    chain::Transaction tx;
    std::optional<Confirmation> confirmation;
  };
  struct Result {
    Balance balance;
    std::vector<chain::OutPoint> coins;
    std::vector<chain::OutPoint> watched;
    std::map<chain::Txid, std::tuple<TxStatus, chain::Amount, std::optional<chain::Amount>, std::uint32_t>> history;
    friend bool operator==(const Result&, const Result&) = default;
  };

  static std::vector<Event> events() {
    const auto paid = TxBuilder(1).pays(test::receive_script(0), 5'000).build();
    const auto joint = TxBuilder(2).pays(test::receive_script(1), 9'000).pays(test::foreign_script(), 10).build();
    const auto swept = TxBuilder(3).spends(paid).pays(test::foreign_script(), 4'900).build();
    const auto change = TxBuilder(4).spends(joint).pays(test::change_script(0), 8'000).build();
    const auto onward = TxBuilder(5).spends(change).pays(test::change_script(1), 7'000).build();
    const auto coin = test::outpoint(TxBuilder(6).build());
    const auto lost = TxBuilder(7).spends(coin).pays(test::receive_script(2), 600).build();
    const auto thief = TxBuilder(8).spends(coin).pays(test::foreign_script(), 600).build();
    const auto phantom = TxBuilder(9).spends(lost).pays(test::receive_script(3), 500).build();
    const auto pending = TxBuilder(10).spends(onward).pays(test::change_script(2), 6'500).build();
    const auto mined = TxBuilder::coinbase(12, test::receive_script(4), 2'500);
    std::vector<Event> all{{paid, test::confirmed_at(10, 1)},
                           {swept, test::confirmed_at(10, 2)},
                           {joint, test::confirmed_at(11, 1)},
                           {change, test::confirmed_at(11, 2)},
                           {onward, test::confirmed_at(11, 3)},
                           {thief, test::confirmed_at(12, 1)},
                           {mined, test::confirmed_at(12, 0)},
                           {lost, std::nullopt},
                           {phantom, std::nullopt},
                           {pending, std::nullopt},
                           {paid, std::nullopt},
                           {onward, std::nullopt},
                           {swept, std::nullopt}};
    all.insert(all.end(), all.begin(), all.begin() + 8);
    return all;
  }

  // Scripts beyond the window of a gap limit of 2, which is 20 wide.
  static std::vector<Event> gap_jump() {
    const auto edge = TxBuilder(11).pays(test::receive_script(19), 3).build();
    const auto beyond = TxBuilder(12).pays(test::receive_script(21), 4).build();
    const auto spend = TxBuilder(13).spends(beyond).pays(test::foreign_script(), 1).build();
    return {{edge, test::confirmed_at(13, 1)}, {beyond, test::confirmed_at(13, 2)}, {spend, std::nullopt}};
  }

  static void shuffle(std::vector<Event>& order, util::Rng& rng) {
    for (std::size_t i = order.size() - 1; i > 0; --i) std::swap(order[i], order[rng.below(i + 1)]);
  }

  static Result run(Wallet wallet, const std::vector<Event>& events) {
    for (const auto& event : events) {
      if (event.confirmation) {
        wallet.apply_confirmed(event.tx, *event.confirmation, {}, test::kNow);
      } else {
        wallet.apply_unconfirmed(event.tx, test::kNow);
      }
    }
    wallet.set_scan(test::scanned_to(13));
    Result result{.balance = wallet.balance(), .coins = {}, .watched = wallet.watched_outpoints(), .history = {}};
    for (const auto& coin : wallet.coins()) result.coins.push_back(coin.outpoint);
    for (const auto& e : wallet.history()) result.history[e.txid] = {e.status, e.net, e.fee, e.confirmations};
    return result;
  }
};

TEST_F(WalletOrder, W10_TenThousandOrdersOfTheSameEventsGiveOneResult) {
  auto order = events();
  const Wallet fresh = test::sample_wallet(2);
  const Result expected = run(fresh, order);
  EXPECT_EQ(expected.balance, (Balance{.confirmed = 7'000, .unconfirmed = -500, .immature = 2'500}));
  EXPECT_EQ(expected.history.size(), 9U) << "the tenth is a stranger's";
  util::Rng rng(2024);
  for (int round = 0; round < 10'000; ++round) {
    shuffle(order, rng);
    ASSERT_EQ(run(fresh, order), expected) << "round " << round;
  }
}

TEST_F(WalletOrder, W10_AGapJumpIsFoundInAnyOrder) {
  auto order = events();
  for (const auto& event : gap_jump()) order.push_back(event);
  const Wallet fresh = test::sample_wallet(2);
  const Result expected = run(fresh, order);
  EXPECT_EQ(expected.balance, (Balance{.confirmed = 7'007, .unconfirmed = -504, .immature = 2'500}));
  util::Rng rng(7);
  for (int round = 0; round < 200; ++round) {
    shuffle(order, rng);
    ASSERT_EQ(run(fresh, order), expected) << "round " << round;
  }
}

}  // namespace
}  // namespace spv::wallet
