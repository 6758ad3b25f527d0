// Many wallets behind one door: who is told what, and what each still owes.
#include "sync/watch/wallet_group.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "chain/header_chain.h"
#include "chain/header_store.h"
#include "sync/scan/block_scan.h"
#include "tests/support/chain_builder.h"
#include "tests/support/scripts.h"
#include "tests/support/tx_builder.h"
#include "util/hex.h"

namespace spv::sync {
namespace {

using test::ChainBuilder;
using test::TxBuilder;

util::Bytes script(std::uint8_t n) { return test::p2wpkh(util::Bytes(20, n)); }

wallet::Wallet watching(std::uint8_t n, chain::Height birthday = 0) {
  wallet::WalletConfig config;
  const auto text = "raw(" + util::to_hex(script(n)) + ")";
  config.key_chains.push_back(
      {wallet::Descriptor::parse(text, chain::params(chain::Network::Regtest)).value().front(), false});
  config.birthday = birthday;
  return {config, wallet::Wallet::fresh_state(config)};
}

class WalletGroupTest : public testing::Test {
 protected:
  /// Watches more once the last of its scripts is paid.
  [[nodiscard]] wallet::Wallet widening(chain::Height birthday) const {
    auto config = watching(2, birthday).config();
    config.key_chains = {
        {wallet::Descriptor::parse("wpkh(tpubDC8msFGeGuwnKG9Upg7DM2b4DaRqg3CUZa5g8v2SRQ6K4NSkxUgd7HsL2XV"
                                   "WbVm39yBA4LAxysQAm397zwQSQoQgewGiYZqrA9DsP4zbQ1M/0/*)",
                                   params_)
             .value()
             .front(),
         false}};
    config.gap_limit = 1;
    return {config, wallet::Wallet::fresh_state(config)};
  }
  WalletGroupTest() : store_(0, params_.genesis, chain::Uint256(2)), chain_(params_, store_) { follow(blocks_); }

  void follow(const ChainBuilder& blocks) { ASSERT_FALSE(chain_.accept(blocks.headers(), 4'000'000'000).error); }
  chain::BlockRef block(chain::Height height) { return {height, *chain_.hash_at(height)}; }
  void join() {
    group_.add(1, one_);
    group_.add(2, two_);
    group_.on_chain_known(chain_);
    static_cast<void>(group_.take_changes());
  }
  WatchEffect confirm(const chain::Transaction& tx, chain::Height height) {
    return group_.on_confirmed(tx, {.block = block(height), .block_time = 1, .index = 1}, {}, 1);
  }
  [[nodiscard]] std::vector<util::Bytes> scripts() const {
    std::vector<util::Bytes> all;
    group_.each_script([&](util::ByteView script) { all.push_back(util::to_bytes(script)); });
    return all;
  }
  /// The scan has come this far, with nothing owed.
  void scan_to(chain::Height height) {
    group_.on_scanned({.to = block(height), .next = height + 1, .by_two = {}, .whole = {}});
  }

  const chain::NetworkParams& params_ = chain::params(chain::Network::Regtest);
  ChainBuilder blocks_ = ChainBuilder().blocks(30);
  chain::MemoryHeaderStore store_;
  chain::HeaderChain chain_;
  wallet::Wallet one_ = watching(1);
  wallet::Wallet two_ = watching(2, 20);
  WalletGroup group_{util::Rng(1)};
};

TEST_F(WalletGroupTest, TellsATransactionToThoseWhomItConcernsAndToNobodyElse) {
  join();
  const auto to_one = TxBuilder(1).pays(script(1), 100).build();
  const auto to_both = TxBuilder(2).pays(script(1), 10).pays(script(2), 20).build();
  const auto to_none = TxBuilder(3).pays(script(3), 100).build();
  EXPECT_FALSE(group_.is_relevant(to_none));
  EXPECT_TRUE(confirm(to_none, 5).empty());
  EXPECT_FALSE(confirm(to_one, 5).empty());
  EXPECT_FALSE(confirm(to_both, 25).empty());
  EXPECT_EQ(group_.net_of(to_both), 30);
  EXPECT_EQ(group_.holders(to_one.txid()), (std::vector<MemberId>{1}));
  EXPECT_EQ(group_.holders(to_both.txid()), (std::vector<MemberId>{1, 2}));
  const auto changes = group_.take_changes();
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[0].changes.transactions.size(), 2U);
  EXPECT_EQ(changes[1].changes.transactions.size(), 1U);
  EXPECT_TRUE(group_.take_changes().empty());
}

TEST_F(WalletGroupTest, SeesASpendWithoutChangeByItsOutpoint) {
  join();
  const auto payment = TxBuilder(1).pays(script(2), 100).build();
  const auto spend = TxBuilder(2).spends(payment).pays(script(9), 90).build();
  EXPECT_FALSE(group_.is_relevant(spend));
  static_cast<void>(confirm(payment, 21));
  EXPECT_TRUE(group_.is_relevant(spend));
  static_cast<void>(confirm(spend, 22));
  EXPECT_EQ(two_.balance().total(), 0);
  EXPECT_EQ(two_.history().size(), 2U);
}

TEST_F(WalletGroupTest, KeepsALooseChildUntilItsParentComes) {
  join();
  const auto payment = TxBuilder(1).pays(script(1), 100).build();
  const auto spend = TxBuilder(2).spends(payment).pays(script(9), 90).build();
  EXPECT_TRUE(group_.on_unconfirmed(spend, 1).empty());
  EXPECT_FALSE(group_.on_unconfirmed(payment, 2).empty());
  EXPECT_EQ(one_.history().size(), 2U);
  EXPECT_EQ(one_.balance().total(), 0);
}

TEST_F(WalletGroupTest, TellsTheConflictsOfAllAndForgetsThoseThatAreSettled) {
  join();
  const auto coin = TxBuilder(1).pays(script(1), 100).build();
  static_cast<void>(confirm(coin, 21));
  const auto loose = TxBuilder(2).spends(coin).pays(script(2), 90).build();
  static_cast<void>(group_.on_unconfirmed(loose, 1));
  EXPECT_TRUE(group_.conflicts().empty());
  ASSERT_NE(group_.find(loose.txid()), nullptr);
  EXPECT_EQ(*group_.find(loose.txid()), loose);
  const auto winner = TxBuilder(3).spends(coin).pays(script(9), 80).build();
  static_cast<void>(confirm(winner, 22));
  const auto conflicts = group_.conflicts();
  ASSERT_EQ(conflicts.size(), 2U) << "of the one that has paid, and of the one that was to get it";
  for (const auto& conflict : conflicts) EXPECT_EQ(conflict.txid, loose.txid());
  EXPECT_EQ(group_.find(TxBuilder(4).build().txid()), nullptr);
  group_.on_disconnected_above(block(21));
  static_cast<void>(confirm(loose, 22));
  ASSERT_FALSE(group_.conflicts().empty());
  for (const auto& conflict : group_.conflicts()) EXPECT_EQ(conflict.txid, winner.txid()) << "now the other way";
}

TEST_F(WalletGroupTest, AStrangersDoubleSpendIsCommittedButNotTold) {
  join();
  const chain::OutPoint foreign = test::outpoint(TxBuilder(50).build());
  const auto payment = TxBuilder(1).spends(foreign).pays(script(1), 100).build();
  const auto stolen = TxBuilder(2).spends(foreign).pays(script(9), 90).build();
  ASSERT_EQ(group_.on_unconfirmed(payment, 1).seen.size(), 1U);
  static_cast<void>(group_.take_changes());
  for (const bool mined : {false, true}) {
    const WatchEffect effect = mined ? confirm(stolen, 22) : group_.on_unconfirmed(stolen, 2);
    EXPECT_FALSE(effect.empty()) << "there is something to commit";
    EXPECT_TRUE(effect.seen.empty()) << "and nothing to say";
    const auto changes = group_.take_changes();
    ASSERT_EQ(changes.size(), 1U);
    EXPECT_EQ(changes[0].changes.transactions.at(0).txid, stolen.txid());
  }
  ASSERT_EQ(group_.conflicts().size(), 1U) << "that the payment is gone is told";
  EXPECT_EQ(group_.conflicts()[0].replaced_by, stolen.txid());
}

TEST_F(WalletGroupTest, StrangersThatAWalletHoldsAreItsConcernAfterARestart) {
  const chain::OutPoint foreign = test::outpoint(TxBuilder(50).build());
  const auto payment = TxBuilder(1).spends(foreign).pays(script(1), 100).build();
  const auto stolen = TxBuilder(2).spends(foreign).spends(TxBuilder(51).build()).pays(script(9), 90).build();
  one_.apply_unconfirmed(payment, 1);
  one_.apply_unconfirmed(stolen, 2);
  join();
  const auto rival = TxBuilder(3).spends(TxBuilder(51).build()).pays(script(9), 80).build();
  EXPECT_TRUE(group_.is_relevant(rival)) << "if it is mined, the payment counts again";
}

TEST_F(WalletGroupTest, WhatAReorganisationUndidIsTold) {
  join();
  const auto to_one = TxBuilder(1).pays(script(1), 100).build();
  const auto to_both = TxBuilder(2).pays(script(1), 10).pays(script(2), 20).build();
  const auto mined = TxBuilder::coinbase(23, script(1), 50);
  static_cast<void>(confirm(to_one, 21));
  static_cast<void>(confirm(to_both, 22));
  static_cast<void>(confirm(mined, 23));
  scan_to(25);
  EXPECT_TRUE(group_.on_disconnected_above(block(24)).empty());
  const WatchEffect effect = group_.on_disconnected_above(block(21));
  EXPECT_FALSE(effect.empty());
  ASSERT_EQ(effect.seen.size(), 1U) << "once for both, and the coinbase is no longer a transaction that waits";
  EXPECT_EQ(effect.seen[0].txid, to_both.txid());
  EXPECT_EQ(effect.seen[0].net, 30);
  EXPECT_FALSE(effect.seen[0].height);
  EXPECT_TRUE(effect.seen[0].unconfirmed_again);
}

TEST_F(WalletGroupTest, WhatWasUndoneWhileAwayIsToldAndABlockThatIsLookedAtAgainIsNot) {
  const auto stays = TxBuilder(1).pays(script(1), 100).build();
  const auto undone = TxBuilder(2).pays(script(1), 20).build();
  one_.apply_confirmed(stays, {.block = block(22), .block_time = 1, .index = 1}, {}, 1);
  one_.apply_confirmed(undone, {.block = {23, {}}, .block_time = 1, .index = 1}, {}, 1);
  one_.set_scan({.scanned_to = block(21), .backfill = {}, .anchors = {}});
  group_.add(1, one_);
  const WatchEffect effect = group_.on_chain_known(chain_);
  EXPECT_FALSE(one_.find(stays.txid())->confirmation) << "block 22 was not scanned to its end";
  ASSERT_EQ(effect.seen.size(), 1U);
  EXPECT_EQ(effect.seen[0].txid, undone.txid());
  EXPECT_TRUE(effect.seen[0].unconfirmed_again);
}

TEST_F(WalletGroupTest, WhatIsHeldIsFoundBeforeAndAfterAWalletJoinsAndNotOnceItLeft) {
  const auto to_three = TxBuilder(4).pays(script(3), 100).build();
  wallet::Wallet three = watching(3);
  three.apply_unconfirmed(to_three, 1);
  join();
  group_.add(3, three);
  EXPECT_EQ(group_.holders(to_three.txid()), (std::vector<MemberId>{3})) << "before it has joined";
  EXPECT_NE(group_.find(to_three.txid()), nullptr);
  static_cast<void>(group_.on_chain_known(chain_));
  EXPECT_EQ(group_.holders(to_three.txid()), (std::vector<MemberId>{3}));
  EXPECT_NE(group_.find(to_three.txid()), nullptr);
  EXPECT_TRUE(group_.holders(chain::Txid{}).empty());
  EXPECT_TRUE(group_.is_relevant(TxBuilder(5).spends(to_three).build()));
  group_.remove(3);
  EXPECT_TRUE(group_.holders(to_three.txid()).empty());
  EXPECT_EQ(group_.find(to_three.txid()), nullptr);
  EXPECT_FALSE(group_.is_relevant(TxBuilder(5).spends(to_three).build()));
  EXPECT_FALSE(group_.is_relevant(to_three));
}

TEST_F(WalletGroupTest, WalletsThatStandAlikeShareTheirAnchors) {
  join();
  for (chain::Height height = 22; height <= 28; ++height) scan_to(height);
  group_.on_witnessed(3);
  EXPECT_EQ(one_.scan().peers, 3U);
  EXPECT_EQ(&one_.scan().anchors.blocks(), &two_.scan().anchors.blocks());
  EXPECT_EQ(one_.scan().anchors.back(), block(28));
  static_cast<void>(group_.take_changes());
  group_.on_witnessed(2);
  EXPECT_TRUE(group_.take_changes().empty()) << "fewer is nothing new";
}

TEST_F(WalletGroupTest, WatchesTheScriptsOfAllAndTheirCoins) {
  EXPECT_EQ(group_.filter_identity(), wallet::FilterIdentity{}) << "of nobody";
  group_.add(1, one_);
  EXPECT_TRUE(scripts().empty()) << "before it is aligned";
  join();
  EXPECT_EQ(scripts(), (std::vector{script(1), script(2)}));
  EXPECT_EQ(group_.script_count(), 2U);
  const auto coin = TxBuilder(1).pays(script(1), 100).build();
  static_cast<void>(confirm(coin, 21));
  const chain::OutPoint outpoint{coin.txid(), 0};
  EXPECT_EQ(group_.watched_outpoints(), std::vector{outpoint});
  EXPECT_EQ(group_.filter_elements().size(), 3U);
  EXPECT_EQ(group_.filter_elements().back(), util::to_bytes(outpoint.bytes()));
}

TEST_F(WalletGroupTest, ADateBecomesTheSameHeightForThoseBornOnThatDay) {
  const auto born = [](std::uint8_t n, util::UnixTime at) {
    auto wallet = watching(n);
    auto config = wallet.config();
    config.birthday_time = at;
    return wallet::Wallet(config, wallet::Wallet::fresh_state(config));
  };
  auto first = born(3, 1'000'000);
  auto same_day = born(4, 1'050'000);
  auto later = born(5, 2'000'000);
  group_.on_birthday(9);
  EXPECT_TRUE(group_.take_changes().empty()) << "nobody has a date";
  group_.add(3, first);
  group_.add(4, same_day);
  group_.add(5, later);
  EXPECT_EQ(group_.standing().birthday_time, 1'000'000);
  group_.on_birthday(7);
  EXPECT_EQ(group_.take_changes().front().changes.birthday, 7);
  EXPECT_EQ(first.config().birthday, 7);
  EXPECT_EQ(same_day.config().birthday, 7);
  EXPECT_FALSE(same_day.config().birthday_time);
  EXPECT_EQ(later.config().birthday_time, 2'000'000);
  EXPECT_EQ(group_.standing().birthday_time, 2'000'000) << "the next";
}

TEST_F(WalletGroupTest, E11_CountsForEachWalletTheBlocksFromItsBirthdayOn) {
  join();  // one from 0 on, two from 20 on
  const auto attest = [this](chain::Height from, chain::Height to) {
    const auto last = std::max(to, group_.standing().scanned_to.height);
    BlocksScanned blocks{.to = block(last), .next = to + 1, .by_two = {}, .whole = {}};
    for (chain::Height height = from; height <= to; ++height) blocks.by_two.push_back(height);
    group_.on_scanned(blocks);
  };
  attest(0, 19);
  EXPECT_EQ(one_.scan().attested.total().by_two, 20U);
  EXPECT_EQ(two_.scan().attested.total().by_two, 0U);
  attest(20, 25);
  EXPECT_EQ(one_.scan().attested.total().by_two, 26U);
  EXPECT_EQ(two_.scan().attested.total().by_two, 6U);
  group_.on_disconnected_above(block(22));
  EXPECT_EQ(one_.scan().attested.total().by_two, 23U);
  EXPECT_EQ(two_.scan().attested.total().by_two, 3U);
  wallet::Wallet three = watching(3, 10);
  group_.add(3, three);
  group_.on_chain_known(chain_);
  EXPECT_EQ(one_.scan().attested.total().by_two, 10U) << "what is asked for again counts again";
  EXPECT_EQ(two_.scan().attested.total().by_two, 0U);
  attest(10, 25);
  EXPECT_EQ(one_.scan().attested.total().by_two, 26U);
  EXPECT_EQ(two_.scan().attested.total().by_two, 6U);
  EXPECT_EQ(three.scan().attested.total().by_two, 16U);
}

// A reorganisation may lead a wallet below its birthday: what it scans there counts, and can be owed again.
TEST_F(WalletGroupTest, CountsBelowABirthdayWhatAReorganisationMadeAWalletScan) {
  group_.add(2, two_);
  group_.on_chain_known(chain_);
  scan_to(25);
  group_.on_disconnected_above(block(12));
  group_.on_scanned({.to = block(25), .next = 26, .by_two = {13, 19, 20, 25}, .whole = {}});
  EXPECT_EQ(two_.scan().attested.total().by_two, 4U);
  group_.on_owed({13, 25});
  EXPECT_EQ(two_.scan().backfill, (wallet::HeightRange{13, 25}));
  EXPECT_EQ(two_.scan().attested.total().by_two, 0U);
}

TEST_F(WalletGroupTest, AWalletAloneNeedsNoRouterAndGetsOneWhenAnotherJoins) {
  group_.add(1, one_);
  group_.on_chain_known(chain_);
  const auto payment = TxBuilder(1).pays(script(1), 100).build();
  EXPECT_FALSE(confirm(payment, 5).empty());
  group_.add(2, two_);
  group_.on_chain_known(chain_);
  EXPECT_TRUE(group_.is_relevant(TxBuilder(2).spends(payment).pays(script(9), 90).build()));
  EXPECT_TRUE(group_.is_relevant(TxBuilder(3).pays(script(1), 5).build()));
  group_.remove(2);
  EXPECT_TRUE(group_.is_relevant(TxBuilder(3).pays(script(1), 5).build()));
}

TEST_F(WalletGroupTest, AWalletThatWasAloneIsServedWhileAnotherIsJoining) {
  group_.add(1, one_);
  group_.on_chain_known(chain_);
  const auto first = TxBuilder(1).pays(script(1), 100).build();
  EXPECT_FALSE(confirm(first, 5).empty());
  group_.add(2, two_);
  EXPECT_TRUE(group_.is_relevant(TxBuilder(2).spends(first).pays(script(9), 90).build()));
  EXPECT_FALSE(confirm(TxBuilder(3).pays(script(1), 7).build(), 6).empty());
  EXPECT_EQ(one_.balance().total(), 107);
  EXPECT_TRUE(confirm(TxBuilder(4).pays(script(2), 7).build(), 6).empty()) << "it has not joined yet";
}

TEST_F(WalletGroupTest, RemembersTheMostPeersThatHaveTheLastBlock) {
  join();
  group_.on_witnessed(1);
  EXPECT_EQ(one_.scan().peers, 1U);
  scan_to(30);
  EXPECT_EQ(one_.scan().peers, 0U) << "another block";
  group_.on_witnessed(3);
  group_.on_witnessed(2);
  EXPECT_EQ(one_.scan().peers, 3U);
}

TEST_F(WalletGroupTest, TellsOwnTransactionsParentsFirstAcrossWallets) {
  join();
  const auto coin = TxBuilder(1).pays(script(2), 100).build();
  static_cast<void>(confirm(coin, 25));
  scan_to(30);
  const auto parent = TxBuilder(2).spends(coin).witness(script(7)).pays(script(1), 90).build();
  const auto child = TxBuilder(3).spends(parent).witness(script(7)).pays(script(9), 80).build();
  static_cast<void>(group_.on_unconfirmed(parent, 1));
  static_cast<void>(group_.on_unconfirmed(child, 2));
  const auto own = group_.own_pending();
  ASSERT_EQ(own.size(), 2U);
  EXPECT_EQ(own[0].txid, parent.txid());
  EXPECT_EQ(own[1].txid, child.txid());
}

TEST_F(WalletGroupTest, OwesToEachWhatItLacksAndBeginsWithTheFirst) {
  join();
  EXPECT_EQ(group_.standing().scanned_to.height, 19) << "where the youngest begins";
  ASSERT_TRUE(group_.standing().owed);
  EXPECT_EQ(group_.standing().owed->from, 0);
  EXPECT_FALSE(two_.scan().backfill);
  scan_to(25);
  EXPECT_EQ(one_.scan().scanned_to, block(25));
  EXPECT_EQ(two_.scan().scanned_to, block(25));
  auto three = watching(3, 10);
  group_.add(3, three);
  EXPECT_FALSE(group_.is_relevant(TxBuilder(1).pays(script(3), 1).build())) << "it has not joined yet";
  group_.on_chain_known(chain_);
  EXPECT_EQ(group_.standing().scanned_to, block(25));
  EXPECT_EQ(group_.standing().owed, (wallet::HeightRange{10, 25}));
  EXPECT_FALSE(one_.scan().backfill);
  EXPECT_EQ(three.scan().backfill, (wallet::HeightRange{10, 25}));
  group_.on_scanned({.to = block(25), .next = 18, .by_two = {}, .whole = {}});
  EXPECT_EQ(three.scan().backfill, (wallet::HeightRange{18, 25}));
  group_.remove(3);
  EXPECT_FALSE(group_.standing().owed);
}

// The engine tells where it stood before it hears who came or went.
TEST_F(WalletGroupTest, OneThatLeavesOrComesMovesNobodyElse) {
  group_.add(2, two_);
  group_.on_chain_known(chain_);
  scan_to(30);
  group_.add(1, one_);
  group_.on_chain_known(chain_);
  ASSERT_EQ(group_.standing().owed, (wallet::HeightRange{0, 30}));
  group_.remove(1);
  group_.on_scanned({.to = block(30), .next = 7, .by_two = {}, .whole = {}});
  EXPECT_FALSE(two_.scan().backfill) << "it had all that the other lacked";
  group_.on_chain_known(chain_);

  auto three = watching(3, 5);
  group_.add(3, three);
  group_.on_owed({22, 30});  // the first wants a second look
  EXPECT_EQ(two_.scan().backfill, (wallet::HeightRange{22, 30}));
}

TEST_F(WalletGroupTest, OneThatComesBetweenTwoCommitsMovesNobodyElse) {
  join();
  scan_to(30);
  BlockScan scan(chain_, group_, 0.001, CrossCheck(CrossCheckMode::Off, util::Rng(1)), {}, util::Rng(2));
  Outbox out;
  scan.align({}, out);
  scan.add_lane(1, true, {.filtered = true, .local = true}, out);
  scan.set_reach(1, 30);  // one more peer has it, which is told to the wallets
  auto three = watching(3);
  group_.add(3, three);
  scan.flush({}, out);
  EXPECT_EQ(one_.scan().peers, 1U);
  EXPECT_FALSE(one_.scan().backfill);
  EXPECT_FALSE(two_.scan().backfill);
}

TEST_F(WalletGroupTest, OwesASecondLookToAllWhereOneIsNeededButNotBelowABirthday) {
  join();
  scan_to(25);
  group_.on_owed({5, 25});
  EXPECT_EQ(one_.scan().backfill, (wallet::HeightRange{5, 25}));
  EXPECT_EQ(two_.scan().backfill, (wallet::HeightRange{20, 25}));
}

TEST_F(WalletGroupTest, TakesBackWhatAWalletSawOnABranchThatWasLeft) {
  group_.add(1, one_);
  group_.on_chain_known(chain_);
  scan_to(30);
  const auto payment = TxBuilder(1).pays(script(1), 100).build();
  static_cast<void>(confirm(payment, 28));
  EXPECT_EQ(one_.balance().confirmed, 100);
  // Away: the chain goes another way from block 26 on.
  ChainBuilder other = blocks_.at_height(26);
  other.salt(7).blocks(10);
  follow(other);
  WalletGroup later{util::Rng(2)};
  later.add(1, one_);
  later.add(2, two_);
  later.on_chain_known(chain_);
  EXPECT_EQ(one_.balance().confirmed, 0);
  EXPECT_LE(later.standing().scanned_to.height, 26);
  EXPECT_EQ(later.standing().scanned_to.hash, *chain_.hash_at(later.standing().scanned_to.height));
}

TEST_F(WalletGroupTest, WidensFromTheBirthdayOfTheWalletThatNeedsItAlone) {
  wallet::Wallet ranged = widening(20);
  group_.add(1, one_);
  group_.add(2, ranged);
  group_.on_chain_known(chain_);
  scan_to(25);
  const auto last = ranged.watched_scripts().back();
  EXPECT_EQ(confirm(TxBuilder(1).pays(last, 5).build(), 26).widened_from, 20);
  EXPECT_TRUE(group_.is_relevant(TxBuilder(2).pays(ranged.watched_scripts().back(), 5).build()));
}

TEST_F(WalletGroupTest, AWalletThatWidensLeavesTheOthersWhereItMay) {
  wallet::Wallet ranged = widening(20);
  group_.add(1, one_);
  group_.add(2, ranged);
  group_.on_chain_known(chain_);
  scan_to(25);
  static_cast<void>(group_.take_changes());
  group_.let_leave(true);
  const auto loose = TxBuilder(1).pays(ranged.watched_scripts().front(), 5).build();
  EXPECT_FALSE(group_.on_unconfirmed(loose, 1).empty());
  EXPECT_TRUE(group_.take_left().empty()) << "it did not widen";
  const auto payment = TxBuilder(2).pays(ranged.watched_scripts().back(), 5).pays(script(1), 7).build();
  const auto effect = confirm(payment, 26);
  EXPECT_FALSE(effect.widened_from) << "the others need not go back";
  EXPECT_EQ(effect.seen.at(0).net, 7);
  EXPECT_EQ(ranged.scan().backfill, (wallet::HeightRange{20, 25}));
  EXPECT_FALSE(group_.standing().owed);
  EXPECT_EQ(group_.holders(payment.txid()), std::vector<MemberId>{1});
  EXPECT_FALSE(group_.is_relevant(TxBuilder(3).pays(ranged.watched_scripts().front(), 5).build()));
  const auto left = group_.take_left();
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left[0].wallet, 2U);
  EXPECT_EQ(left[0].changes.transactions.size(), 2U) << "what it had to commit before, too";
  EXPECT_EQ(left[0].changes.scan->backfill, ranged.scan().backfill);
  EXPECT_TRUE(group_.take_left().empty());
}

TEST_F(WalletGroupTest, WhatHasLeftIsCommittedWithTheOthersIfThatComesFirst) {
  wallet::Wallet ranged = widening(20);
  group_.add(1, one_);
  group_.add(2, ranged);
  group_.on_chain_known(chain_);
  static_cast<void>(group_.take_changes());
  group_.let_leave(true);
  static_cast<void>(confirm(TxBuilder(1).pays(ranged.watched_scripts().back(), 5).build(), 26));
  const auto changes = group_.take_changes();
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].wallet, 2U);
  EXPECT_EQ(changes[0].changes.transactions.size(), 1U);
  const auto left = group_.take_left();
  ASSERT_EQ(left.size(), 1U);
  EXPECT_TRUE(left[0].changes.empty());
}

// A child that came before its parent is taken up together with it.
TEST_F(WalletGroupTest, AWalletThatLeavesInTheMidstOfAStepTakesAllOfItAlong) {
  wallet::Wallet ranged = widening(20);
  group_.add(1, one_);
  group_.add(2, ranged);
  group_.on_chain_known(chain_);
  group_.let_leave(true);
  const auto parent = TxBuilder(1).pays(ranged.watched_scripts().front(), 5).build();
  const auto child = TxBuilder(2).spends(parent).pays(ranged.watched_scripts().back(), 4).build();
  const auto grandchild = TxBuilder(3).spends(child).pays(script(9), 3).build();
  static_cast<void>(group_.on_unconfirmed(grandchild, 1));
  EXPECT_FALSE(group_.on_unconfirmed(parent, 1).seen.empty());
  EXPECT_TRUE(group_.on_unconfirmed(child, 1).seen.empty());
  EXPECT_EQ(group_.take_left().size(), 1U);
}

TEST_F(WalletGroupTest, APayerWhoseChangeWidensItLeavesToo) {
  wallet::Wallet ranged = widening(20);
  group_.add(1, one_);
  group_.add(2, ranged);
  group_.on_chain_known(chain_);
  scan_to(25);
  const auto coin = TxBuilder(1).pays(ranged.watched_scripts().front(), 50).build();
  static_cast<void>(confirm(coin, 24));
  group_.let_leave(true);
  const auto change = ranged.watched_scripts().back();
  const auto payment = TxBuilder(2).spends(coin).pays(script(1), 20).pays(change, 29).build();
  ASSERT_TRUE(group_.add_own(2, payment, wallet::SendState::Announced, 1, {}));
  EXPECT_EQ(group_.take_left().size(), 1U);
  EXPECT_EQ(ranged.scan().backfill, (wallet::HeightRange{20, 25}));
  EXPECT_TRUE(ranged.knows(payment.txid()));
  EXPECT_EQ(one_.balance().unconfirmed, 20) << "the payee stays";
  EXPECT_FALSE(group_.standing().owed);
}

TEST_F(WalletGroupTest, AWalletAloneStaysAndScansAgain) {
  wallet::Wallet ranged = widening(20);
  group_.add(2, ranged);
  group_.on_chain_known(chain_);
  scan_to(25);
  group_.let_leave(true);
  EXPECT_EQ(confirm(TxBuilder(1).pays(ranged.watched_scripts().back(), 5).build(), 26).widened_from, 20);
  EXPECT_TRUE(group_.take_left().empty());
}

}  // namespace
}  // namespace spv::sync
