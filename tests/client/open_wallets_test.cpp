// What is committed when, and told when: nobody hears of a payment that the disk does not have.
#include "client/open_wallets.h"

#include <algorithm>
#include <filesystem>

#include "client/shard.h"
#include "store/database.h"
#include "tests/client/parts_fixture.h"
#include "tests/store/chain_samples.h"

namespace spv::client {
namespace {

using namespace std::chrono_literals;
using test::TxBuilder;

class OpenWalletsTest : public test::ClientParts {
 protected:
  chain::Transaction payment_ = TxBuilder(1).pays(test::script(1), 5'000).build();
  OpenWallets wallets_{setup_, events_};
};

// --- what matters ---------------------------------------------------------------------------------------------------

TEST_F(OpenWalletsTest, ATransactionIsCommittedAtOnceAndThenTold) {
  Held& one = open(wallets_, "one");
  wallets_.persist({scanned(one, 1)});
  writes_ = 0;
  bool told_before = false;
  store_->on_write = [&] { told_before = events_.queue().take_fresh(); };
  wallets_.persist({paid(one, payment_)});
  EXPECT_EQ(stored("one").balance().total(), 5'000);
  EXPECT_FALSE(told_before);
  const auto news = told_only<TransactionEvent>();
  ASSERT_EQ(news.size(), 1U);
  EXPECT_EQ(news[0].wallet, "one");
  EXPECT_EQ(news[0].txid, util::to_string(payment_.txid()));
  EXPECT_EQ(news[0].net, 5'000);
  EXPECT_FALSE(news[0].height);
  EXPECT_EQ(news[0].state, TransactionState::Unconfirmed);
  ASSERT_EQ(news[0].outputs.size(), 1U);
  EXPECT_EQ(news[0].outputs[0].amount, 5'000);
  EXPECT_EQ(news[0].outputs[0].address, test::address(1));
}

TEST_F(OpenWalletsTest, WhatIsToldIsStoredWithTheChangeAndToldOnce) {
  Held& one = open(wallets_, "one");
  wallets_.persist({scanned(one, 1)});
  wallets_.persist({paid(one, payment_)});
  wallets_.persist({scanned(one, 2)});
  wallets_.persist({paid(one, payment_)});
  EXPECT_EQ(told_only<TransactionEvent>().size(), 1U);
  const auto stored = store_->events(1, 10, "one");
  ASSERT_EQ(stored.size(), 1U);
  EXPECT_EQ(stored[0].seq, 2) << "after that it was added";
  EXPECT_EQ(stored[0].time, now_.wall);
  EXPECT_EQ(std::get<wallet::TxEvent>(stored[0].data).txid, payment_.txid());
}

TEST_F(OpenWalletsTest, AConflictIsToldByEachWalletThatHoldsIt) {
  Held& payer = open(wallets_, "payer", 1);
  Held& payee = open(wallets_, "payee", 2);
  wallets_.persist({scanned(payer, 1), scanned(payee, 1)});
  const auto coin = test::outpoint(TxBuilder(9).build());
  const auto gone = TxBuilder(1).spends(coin).pays(test::script(1), 1).pays(test::script(2), 1).build();
  const auto instead = TxBuilder(2).spends(coin).pays(test::script(1), 2).build();
  wallets_.persist({paid(payer, gone), paid(payee, gone)});
  EXPECT_EQ(told_only<TransactionEvent>().size(), 2U);
  wallets_.persist({paid(payer, instead), paid(payee, instead)});
  const auto news = told_only<TransactionEvent>();
  ASSERT_EQ(news.size(), 3U) << "the payment that counts now, and for each wallet the one that is lost";
  EXPECT_EQ(std::ranges::count(news, TransactionState::Conflicted, &TransactionEvent::state), 2);
}

TEST_F(OpenWalletsTest, AConfirmationIsToldWithItsHeight) {
  Held& one = open(wallets_, "one");
  wallets_.persist({scanned(one, 9)});
  const wallet::Confirmation confirmation{.block = block_at(9), .block_time = 1'600'000'000, .index = 1};
  wallets_.persist({{one.id, one.open.wallet.apply_confirmed(payment_, confirmation, util::Bytes{1}, now_.wall)}});
  EXPECT_EQ(told_only<TransactionEvent>().at(0).height, 9);
}

TEST_F(OpenWalletsTest, WhatTheDiskDidNotTakeIsNotToldAndNotLost) {
  Held& one = open(wallets_, "one");
  wallets_.persist({scanned(one, 1)});
  store_->full = true;
  EXPECT_THROW(wallets_.persist({paid(one, payment_)}), store::StoreError);
  EXPECT_TRUE(told().empty());
  store_->full = false;
  wallets_.flush();
  EXPECT_EQ(stored("one").balance().total(), 5'000);
  EXPECT_EQ(told_only<TransactionEvent>().size(), 1U);
}

TEST_F(OpenWalletsTest, AWalletThatFailsDoesNotCostAnotherItsNews) {
  Held& one = open(wallets_, "one");
  Held& two = open(wallets_, "two", 2);
  wallets_.persist({scanned(one, 1), scanned(two, 1)});
  store_->full_once = true;
  const auto other = TxBuilder(2).pays(test::script(2), 7'000).build();
  EXPECT_THROW(wallets_.persist({paid(one, payment_), paid(two, other)}), store::StoreError);
  wallets_.flush();
  EXPECT_EQ(stored("one").balance().total(), 5'000);
  EXPECT_EQ(stored("two").balance().total(), 7'000);
  EXPECT_EQ(told_only<TransactionEvent>().size(), 2U);
}

// --- mere positions -------------------------------------------------------------------------------------------------

TEST_F(OpenWalletsTest, AMerePositionWaitsItsTurn) {
  Held& one = open(wallets_, "one");
  wallets_.persist({scanned(one, 1)});
  EXPECT_EQ(stored_height("one"), 1) << "the first has waited long enough";
  wallets_.persist({scanned(one, 2)});
  wallets_.flush_if_due();
  EXPECT_EQ(stored_height("one"), 1);
  now_.monotonic += 10ms;
  wallets_.flush_if_due();
  EXPECT_EQ(stored_height("one"), 2);
  EXPECT_EQ(writes_, 2);
  now_.monotonic += 10ms;
  wallets_.flush_if_due();
  EXPECT_EQ(writes_, 2) << "nothing waits";
}

TEST_F(OpenWalletsTest, APositionGoesWithATransactionOfItsWallet) {
  Held& one = open(wallets_, "one");
  wallets_.persist({scanned(one, 1)});
  wallets_.persist({scanned(one, 2)});
  wallets_.persist({paid(one, payment_)});
  EXPECT_EQ(stored_height("one"), 2);
}

TEST_F(OpenWalletsTest, TheMoreWalletsThereAreTheLongerTheirPositionsWait) {
  std::vector<MemberChanges> all;
  for (const char* name : {"a", "b", "c"}) all.push_back(scanned(open(wallets_, name), 1));
  wallets_.persist(all);
  EXPECT_EQ(writes_, 3);
  wallets_.persist({scanned(*wallets_.find("a"), 2)});
  now_.monotonic += 29ms;
  wallets_.flush_if_due();
  EXPECT_EQ(writes_, 3);
  now_.monotonic += 1ms;
  wallets_.flush_if_due();
  EXPECT_EQ(writes_, 4);
}

TEST_F(OpenWalletsTest, AFlushKeepsNobodyWaitingAndTheRestHaveTheirTurnNext) {
  std::vector<MemberChanges> all;
  for (const char* name : {"a", "b", "c", "d", "e"}) all.push_back(scanned(open(wallets_, name), 1));
  per_write_ = 90ms;
  wallets_.note(all);
  wallets_.flush();
  EXPECT_EQ(writes_, 3) << "two more would be past the time";
  EXPECT_EQ(stored_height("c"), 1);
  EXPECT_EQ(stored_height("d"), -1);
  wallets_.note({scanned(*wallets_.find("a"), 2), scanned(*wallets_.find("b"), 2), scanned(*wallets_.find("c"), 2)});
  wallets_.flush();
  EXPECT_EQ(stored_height("d"), 1) << "the first ones have new positions, but it is not their turn";
  EXPECT_EQ(stored_height("e"), 1);
  EXPECT_EQ(stored_height("a"), 2);
  EXPECT_EQ(stored_height("b"), 1);
}

TEST_F(OpenWalletsTest, ATransactionDoesNotWaitBehindPositionsThatTakeLong) {
  std::vector<MemberChanges> all;
  for (const char* name : {"a", "b", "c", "d"}) all.push_back(scanned(open(wallets_, name), 1));
  Held& last = open(wallets_, "last");
  per_write_ = 200ms;
  all.push_back(paid(last, payment_));
  wallets_.note(all);
  wallets_.flush();
  EXPECT_EQ(stored("last").balance().total(), 5'000);
  EXPECT_EQ(writes_, 2);
}

// --- one wallet -----------------------------------------------------------------------------------------------------

TEST_F(OpenWalletsTest, WhatIsKeptGoesWithAllThatWaitsSoThatNothingOlderFollows) {
  Held& one = open(wallets_, "one");
  wallets_.note({scanned(one, 7)});
  wallets_.keep(one, paid(one, payment_).changes);
  EXPECT_EQ(stored_height("one"), 7);
  EXPECT_EQ(stored("one").balance().total(), 5'000);
  EXPECT_EQ(writes_, 1);
  wallets_.flush();
  wallets_.commit_pending(one);
  EXPECT_EQ(writes_, 1) << "nothing is left";
}

TEST_F(OpenWalletsTest, OneWalletIsCommittedBeforeItIsClosed) {
  Held& one = open(wallets_, "one");
  wallets_.note({scanned(one, 7)});
  wallets_.commit_pending(one);
  EXPECT_EQ(stored_height("one"), 7);
  const auto id = one.id;
  wallets_.note({scanned(one, 8)});
  wallets_.close(one);
  EXPECT_EQ(wallets_.find("one"), nullptr);
  wallets_.flush();
  EXPECT_EQ(stored_height("one"), 7) << "what waited is lost, as it says";
  EXPECT_NE(wallets_.open("one", open_wallet(store_, "one", store::Access::Write)).id, id)
      << "an id is never used twice";
}

// --- after trouble --------------------------------------------------------------------------------------------------

TEST_F(OpenWalletsTest, MemoryThatIsAheadOfTheFilesIsReadAgain) {
  Held& one = open(wallets_, "one");
  wallets_.persist({scanned(one, 1)});
  store_->full = true;
  EXPECT_THROW(wallets_.persist({paid(one, payment_)}), store::StoreError);
  store_->full = false;
  wallets_.reload();
  EXPECT_EQ(wallets_.find("one")->open.wallet.balance().total(), 5'000) << "nobody said that it is stale";
  wallets_.mark_stale();
  EXPECT_TRUE(wallets_.stale());
  wallets_.reload();
  EXPECT_FALSE(wallets_.stale());
  EXPECT_EQ(wallets_.find("one")->open.wallet.balance().total(), 0);
  wallets_.flush();
  EXPECT_TRUE(told().empty());
  EXPECT_EQ(stored("one").balance().total(), 0);
}

TEST_F(OpenWalletsTest, AWalletThatCannotBeReadStaysClosedAndTheOthersOpen) {
  open(wallets_, "one");
  open(wallets_, "two", 2);
  store_->lost_names = {"one"};
  wallets_.mark_stale();
  EXPECT_THROW(wallets_.reload(), store::StoreError);
  EXPECT_EQ(wallets_.find("one"), nullptr);
  EXPECT_NE(wallets_.find("two"), nullptr);
  EXPECT_THROW(wallets_.reload(), store::StoreError) << "it is tried each time";
  store_->lost_names.clear();
  wallets_.reload();
  EXPECT_NE(wallets_.find("one"), nullptr);
  EXPECT_EQ(wallets_.all().size(), 2U);
  EXPECT_FALSE(wallets_.give_up("one")) << "it is open";
}

TEST_F(OpenWalletsTest, AWalletThatWasGivenUpIsNotReadAgain) {
  open(wallets_, "one");
  store_->lost = true;
  wallets_.mark_stale();
  EXPECT_THROW(wallets_.reload(), store::StoreError);
  EXPECT_TRUE(wallets_.give_up("one"));
  store_->lost = false;
  wallets_.reload();
  EXPECT_TRUE(wallets_.all().empty());
}

// --- several processes ----------------------------------------------------------------------------------------------

TEST_F(OpenWalletsTest, AWalletThatAnotherProcessHasTakenOverIsDroppedAndTheOthersGoOn) {
  setup_.options.follow_all = true;
  store_->together = true;
  Held& one = open(wallets_, "one");
  Held& two = open(wallets_, "two", 2);
  wallets_.persist({scanned(one, 1), scanned(two, 1)});
  store_->taken_over = {"one"};
  const auto other = TxBuilder(2).pays(test::script(2), 7'000).build();
  wallets_.persist({paid(one, payment_), paid(two, other)});
  EXPECT_TRUE(one.lost);
  EXPECT_FALSE(two.lost);
  EXPECT_EQ(stored("one").balance().total(), 0);
  EXPECT_EQ(stored("two").balance().total(), 7'000);
  const auto news = told_only<TransactionEvent>();
  ASSERT_EQ(news.size(), 1U);
  EXPECT_EQ(news[0].wallet, "two");
  store_->taken_over.clear();
  wallets_.persist({scanned(one, 2), scanned(two, 2)});
  EXPECT_EQ(stored_height("one"), 1) << "what it found is another's to tell by now";
}

TEST_F(OpenWalletsTest, WhatAUserDoesIsRefusedIfAnotherProcessHasTheWallet) {
  setup_.options.follow_all = true;
  Held& one = open(wallets_, "one");
  wallets_.persist({scanned(one, 1)});
  store_->taken_over = {"one"};
  EXPECT_THROW(wallets_.keep(one, paid(one, payment_).changes), store::StoreError);
  EXPECT_THROW(wallets_.keep(one, paid(one, payment_).changes), store::StoreError) << "and again";
  EXPECT_EQ(stored("one").balance().total(), 0);
}

TEST_F(OpenWalletsTest, AWalletThatWasAskedForIsNotDroppedInSilence) {
  Held& one = open(wallets_, "one");
  wallets_.persist({scanned(one, 1)});
  store_->taken_over = {"one"};
  EXPECT_THROW(wallets_.persist({paid(one, payment_)}), store::StoreError);
  EXPECT_TRUE(wallets_.store_away());
}

// The commit was done, and the answer was lost.
TEST_F(OpenWalletsTest, WhatMayBeCommittedIsNotCommittedAgain) {
  Held& one = open(wallets_, "one");
  wallets_.persist({scanned(one, 1)});
  store_->away = true;
  EXPECT_THROW(wallets_.persist({paid(one, payment_)}), store::StoreError);
  store_->away = false;
  EXPECT_THROW(wallets_.flush(), store::StoreError) << "what became of it is not known";
  EXPECT_TRUE(wallets_.stale());
  EXPECT_TRUE(wallets_.store_away());
  wallets_.reload();
  EXPECT_EQ(wallets_.find("one")->open.wallet.balance().total(), 5'000);
  wallets_.persist({scanned(*wallets_.find("one"), 2)});
  wallets_.flush();
  EXPECT_EQ(store_->newest_event(), 2) << "that it was added, and the payment once";
}

TEST_F(OpenWalletsTest, AUserIsToldThatItIsNotKnownWhetherSomethingWasStored) {
  Held& one = open(wallets_, "one");
  store_->away = true;
  try {
    wallets_.keep(one, scanned(one, 1).changes);
    ADD_FAILURE() << "it must not seem done";
  } catch (const store::StoreError& error) {
    EXPECT_NE(std::string(error.what()).find("not known whether this was stored"), std::string::npos) << error.what();
  }
}

TEST_F(OpenWalletsTest, APaymentThatIsStoredIsNotRefusedBecauseTheLogIsBehind) {
  Held& one = open(wallets_, "one");
  wallets_.persist({scanned(one, 1)});
  store::Database log(setup_.folder.events(), store::Database::Mode::Shared);
  log.execute("ALTER TABLE event RENAME TO gone");
  wallets_.keep(one, paid(one, payment_).changes);
  EXPECT_EQ(stored("one").balance().total(), 5'000);
  log.execute("ALTER TABLE gone RENAME TO event");
  wallets_.flush();
  EXPECT_EQ(store_->newest_event(), 2) << "the log has caught up";
}

TEST_F(OpenWalletsTest, ATipThatIsNotTakenIsTriedAgainUnlessTheStoreIsAway) {
  const test::SampleChain chain(5);
  store_->full = true;
  EXPECT_FALSE(wallets_.tell_tip(chain.view()));
  EXPECT_FALSE(wallets_.store_away());
  store_->full = false;
  store_->tips_away = true;
  EXPECT_THROW(static_cast<void>(wallets_.tell_tip(chain.view())), store::StoreError);
  EXPECT_TRUE(wallets_.store_away());
  store_->tips_away = false;
  wallets_.reload();
  EXPECT_TRUE(wallets_.tell_tip(chain.view()));
  EXPECT_EQ(store_->newest_event(), 1);
}

TEST_F(OpenWalletsTest, AStoreThatIsBackBeforeTheSyncHasEndedStillCountsAsAway) {
  Held& one = open(wallets_, "one");
  wallets_.persist({scanned(one, 1)});
  const test::SampleChain chain(5);
  store_->tips_away = true;
  EXPECT_THROW(static_cast<void>(wallets_.tell_tip(chain.view())), store::StoreError);
  store_->tips_away = false;
  EXPECT_THROW(wallets_.persist({paid(one, payment_)}), store::StoreError) << "of another filter, say";
  EXPECT_TRUE(wallets_.store_away());
  wallets_.reload();
  EXPECT_FALSE(wallets_.store_away());
  EXPECT_TRUE(wallets_.tell_tip(chain.view()));
}

// Whether a wallet is synced is known by its shard; a commit that fails does not cost it the event.
TEST_F(OpenWalletsTest, ThatAWalletIsSyncedIsToldOnceItsShardHasFinished) {
  Held& one = open(wallets_, "one");
  Held& two = open(wallets_, "two", 2);
  Shard shard(store::HeaderBase::genesis(setup_.params), true);
  one.shard = two.shard = &shard;
  wallets_.persist({scanned(one, 1)});
  wallets_.tell_synced();
  shard.finished = shard.joining = true;
  wallets_.tell_synced();
  EXPECT_EQ(store_->newest_event(), 2) << "they were added";
  shard.joining = false;
  wallets_.tell_synced();
  wallets_.tell_synced();
  EXPECT_EQ(store_->newest_event(), 3);
  EXPECT_EQ(store_->events(2, 1, std::nullopt).at(0).wallet, "one") << "the other has not scanned anything";
  wallets_.persist({scanned(two, 1)});
  store_->full = true;
  EXPECT_THROW(wallets_.tell_synced(), store::StoreError);
  store_->full = false;
  wallets_.mark_stale();
  wallets_.reload();
  for (const char* name : {"one", "two"}) wallets_.find(name)->shard = &shard;
  wallets_.persist({scanned(*wallets_.find("two"), 1)});  // that was lost with it
  wallets_.tell_synced();
  EXPECT_EQ(store_->newest_event(), 4);
  EXPECT_TRUE(stored("two").synced());
}

TEST_F(OpenWalletsTest, ManyThatAreSyncedAtOnceKeepNobodyWaiting) {
  Shard shard(store::HeaderBase::genesis(setup_.params), true);
  shard.finished = true;
  for (int i = 0; i < 10; ++i) {
    Held& held = open(wallets_, "w" + std::to_string(i));
    wallets_.persist({scanned(held, 1)});
    held.shard = &shard;
  }
  per_write_ = 90ms;
  wallets_.tell_synced();
  EXPECT_EQ(store_->newest_event(), 13) << "three of them in 0.2 seconds";
  for (int i = 0; i < 3; ++i) wallets_.tell_synced();
  EXPECT_EQ(store_->newest_event(), 20);
}

TEST_F(OpenWalletsTest, PositionsAreOneCommitWhereThatCostsNoMore) {
  store_->together = true;
  std::vector<MemberChanges> all;
  for (int i = 0; i < 100; ++i) all.push_back(scanned(open(wallets_, "w" + std::to_string(i)), 1));
  per_write_ = 90ms;
  wallets_.note(all);
  wallets_.flush();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(stored_height("w" + std::to_string(i)), 1);
}

// --- headers --------------------------------------------------------------------------------------------------------

class OldestBaseTest : public test::ClientParts {
 protected:
  OldestBaseTest() : ClientParts(NetworkId::Main) {}
};

TEST_F(OldestBaseTest, HeadersBeginWhereTheOldestWalletNeedsThem) {
  const auto& points = setup_.params.start_points;
  ASSERT_GE(points.size(), 2U);
  OpenWallets wallets(setup_, events_);
  EXPECT_EQ(wallets.oldest_base().height, 0) << "of no wallet";
  open(wallets, "young", 1, points[1].height + 1);
  EXPECT_EQ(wallets.oldest_base().height, points[1].height);
  open(wallets, "old", 2, points[0].height + 1);
  open(wallets, "younger", 3, points[1].height + 2);
  EXPECT_EQ(wallets.oldest_base().height, points[0].height);
}

}  // namespace
}  // namespace spv::client
