// What those who follow a wallet are told: every change of a transaction once, and nothing that is not certain yet.
#include "wallet/teller.h"

#include <map>

#include <gtest/gtest.h>

#include "tests/wallet/wallet_samples.h"
#include "util/rng.h"

namespace spv::wallet {
namespace {

using test::TxBuilder;

class TellerTest : public ::testing::Test {
 protected:
  void SetUp() override { scan_to(100); }

  void scan_to(chain::Height height) {
    wallet_.note_tip(height);
    wallet_.set_scan(test::scanned_to(height));
  }
  /// What tell() says, as "state net" in order.
  std::vector<std::string> told() {
    last_ = wallet_.tell().events;
    return as_text(last_);
  }
  static std::vector<std::string> as_text(const std::vector<TxEvent>& events) {
    std::vector<std::string> out;
    for (const auto& event : events)
      out.push_back(std::string(to_string(event.state)) + ' ' + std::to_string(event.net));
    return out;
  }
  /// As a store would give it back.
  void reopen() {
    WalletState state = Wallet::fresh_state(wallet_.config());
    state.transactions.assign(wallet_.transactions().begin(), wallet_.transactions().end());
    state.scan = wallet_.scan();
    for (const auto& event : log_) state.told.push_back(told_by(event));
    wallet_ = Wallet(wallet_.config(), std::move(state));
  }
  using Lines = std::vector<std::string>;

  Wallet wallet_ = test::sample_wallet();
  std::vector<TxEvent> last_;
  std::vector<TxEvent> log_;
  const chain::Transaction gift_ =
      TxBuilder().pays(test::foreign_script(), 7).pays(test::receive_script(3), 900).build();
  const chain::Transaction payment_ =
      TxBuilder().spends(gift_, 1).pays(test::foreign_script(1), 500).pays(test::change_script(2), 300).build();
};

TEST_F(TellerTest, EachChangeIsToldOnceWithAllThatBelongsToIt) {
  EXPECT_EQ(told(), Lines{});
  test::see(wallet_, gift_);
  EXPECT_EQ(told(), Lines{"unconfirmed 900"});
  const OwnOutput paid{.vout = 1, .value = 900, .script = test::receive_script(3), .chain = 0, .index = 3};
  EXPECT_EQ(last_[0].outputs, std::vector{paid});
  EXPECT_EQ(last_[0].txid, gift_.txid());
  EXPECT_EQ(last_[0].confirmation, std::nullopt);
  test::see(wallet_, gift_);
  EXPECT_EQ(told(), Lines{}) << "no news";
  test::confirm(wallet_, gift_, 101);
  scan_to(101);
  EXPECT_EQ(told(), Lines{"confirmed 900"});
  EXPECT_EQ(last_[0].confirmation, test::confirmed_at(101));
  scan_to(102);
  EXPECT_EQ(told(), Lines{});
}

TEST_F(TellerTest, NothingIsToldWhileBlocksAreMissing) {
  wallet_.note_tip(105);
  test::see(wallet_, payment_);
  EXPECT_EQ(told(), Lines{}) << "it would say that 300 came in";
  test::confirm(wallet_, gift_, 103);
  ScanState owing = test::scanned_to(105);
  owing.backfill = HeightRange{50, 105};
  wallet_.set_scan(owing);
  EXPECT_EQ(told(), Lines{});
  scan_to(105);
  EXPECT_EQ(told(), (Lines{"confirmed 900", "unconfirmed -600"})) << "oldest first";
}

TEST_F(TellerTest, AReorganisationIsToldAtOnce) {
  const auto coinbase = TxBuilder::coinbase(103, test::receive_script(0), 5'000);
  test::confirm(wallet_, gift_, 102);
  test::confirm(wallet_, coinbase, 103, 0);
  scan_to(103);
  EXPECT_EQ(told(), (Lines{"confirmed 900", "confirmed 5000"}));
  wallet_.note_tip(110);
  EXPECT_EQ(as_text(wallet_.disconnect_above(test::block_at(101)).events),
            (Lines{"conflicted 5000", "unconfirmed 900"}));
  EXPECT_EQ(told(), Lines{}) << "the new chain is not scanned yet";
  test::confirm(wallet_, gift_, 104, 1, 1);
  scan_to(110);
  EXPECT_EQ(told(), Lines{"confirmed 900"});
  EXPECT_EQ(last_[0].confirmation->block, test::block_at(104, 1));
}

TEST_F(TellerTest, WhatWasNotToldYetIsNotTakenBack) {
  wallet_.note_tip(110);
  test::confirm(wallet_, gift_, 102);
  wallet_.set_scan(test::scanned_to(103));
  EXPECT_EQ(wallet_.disconnect_above(test::block_at(101)).events.size(), 0U);
}

TEST_F(TellerTest, ALostOneIsToldWithTheOneThatCountsInstead) {
  test::see(wallet_, gift_);
  told();
  const auto rival = TxBuilder().spends(gift_.inputs[0].previous).pays(test::foreign_script(3), 1).build();
  test::confirm(wallet_, rival, 101);
  scan_to(101);
  EXPECT_EQ(told(), Lines{"conflicted 900"}) << "the other one is a stranger's";
  EXPECT_EQ(last_[0].replaced_by, rival.txid());
}

TEST_F(TellerTest, ALockThatEndsAndAPaymentThatIsForgottenAreToldByBlocksAlone) {
  auto locked = gift_;
  locked.lock_time = 102;
  locked.inputs[0].sequence = 0;
  test::see(wallet_, locked);
  EXPECT_EQ(told(), Lines{"locked 900"});
  scan_to(101);
  EXPECT_EQ(told(), Lines{});
  scan_to(102);
  EXPECT_EQ(told(), Lines{"unconfirmed 900"});
  scan_to(100 + kForgetAfter + 1);
  EXPECT_EQ(told(), Lines{"forgotten 900"});
  test::see(wallet_, locked);
  EXPECT_EQ(told(), Lines{"unconfirmed 900"});
}

TEST_F(TellerTest, ARescanTellsNoTransactionAgainAndAsksForSyncedOnceMore) {
  test::confirm(wallet_, gift_, 90);
  EXPECT_EQ(told(), Lines{"confirmed 900"});
  EXPECT_EQ(wallet_.note_synced().synced, true);
  EXPECT_TRUE(wallet_.note_synced().empty()) << "it is told once";
  EXPECT_TRUE(wallet_.rescan(101).empty()) << "nothing is scanned there";
  EXPECT_TRUE(wallet_.synced());
  const auto changes = wallet_.rescan(50);
  EXPECT_EQ(changes.synced, false);
  ASSERT_TRUE(changes.scan);
  EXPECT_EQ(changes.scan->backfill, (HeightRange{.from = 50, .to = 100}));
  static_cast<void>(wallet_.rescan(70));
  EXPECT_EQ(wallet_.scan().backfill->from, 50) << "what is owed stays owed";
  EXPECT_FALSE(wallet_.is_caught_up());
  test::confirm(wallet_, gift_, 90);
  EXPECT_EQ(told(), Lines{});
  scan_to(100);
  EXPECT_TRUE(wallet_.is_caught_up());
  EXPECT_EQ(told(), Lines{}) << "nothing has changed";
  EXPECT_EQ(wallet_.note_synced().synced, true);
}

TEST_F(TellerTest, PaymentsOfOurOwnAreToldOnceTheyAreOut) {
  test::confirm(wallet_, gift_, 100);
  told();
  ASSERT_TRUE(wallet_.add_own(payment_, SendState::NotSent, test::kNow));
  EXPECT_EQ(told(), Lines{}) << "nobody has it";
  wallet_.set_send_state(payment_.txid(), SendState::Announced);
  EXPECT_EQ(told(), Lines{"unconfirmed -600"});
  wallet_.set_send_state(payment_.txid(), SendState::Uncertain);
  EXPECT_EQ(told(), Lines{});
  ASSERT_TRUE(wallet_.abandon(payment_.txid()));
  EXPECT_EQ(told(), Lines{"abandoned -600"});
}

TEST_F(TellerTest, ARestartTellsNothingAgainAndForgetsNothing) {
  test::see(wallet_, gift_);
  log_ = wallet_.tell().events;
  reopen();
  scan_to(100);
  EXPECT_EQ(told(), Lines{});
  test::confirm(wallet_, gift_, 101);
  scan_to(101);
  reopen();  // killed after the commit of the block, before anything was told
  scan_to(145);
  EXPECT_EQ(told(), Lines{"confirmed 900"});
}

TEST_F(TellerTest, ASumThatAWiderWindowCorrectsIsToldAgain) {
  const auto far = TxBuilder().pays(test::receive_script(1), 50).pays(test::receive_script(350), 70).build();
  test::see(wallet_, far);
  EXPECT_EQ(told(), Lines{"unconfirmed 50"});
  test::confirm(wallet_, TxBuilder().pays(test::receive_script(199), 1).build(), 101);
  scan_to(101);
  EXPECT_EQ(told(), (Lines{"confirmed 1", "unconfirmed 120"}));
}

// Whatever happens: what was told last is how it stands, and no event says what the one before said.
TEST_F(TellerTest, TheLogIsTheHistory) {
  util::Rng rng(7);
  for (int life = 0; life < 20; ++life) {
    wallet_ = test::sample_wallet();
    std::map<chain::Txid, Told> log;
    std::vector<chain::Transaction> made;
    chain::Height height = 100;
    const auto read = [&](const Changes& changes) {
      for (const auto& event : changes.events) {
        const auto now = told_by(event);
        const auto before = log.find(event.txid);
        EXPECT_TRUE(before == log.end() || before->second != now);
        log.insert_or_assign(event.txid, now);
      }
    };
    for (int step = 0; step < 80; ++step) {
      const auto pick = [&]() -> const chain::Transaction& { return made[rng.below(made.size())]; };
      const auto what = rng.below(6);
      if (made.empty() || what == 0) {
        made.push_back(TxBuilder()
                           .spends(gift_, static_cast<std::uint32_t>(rng.below(6)))
                           .pays(test::receive_script(static_cast<std::uint32_t>(rng.below(20))), 10 + step)
                           .build());
      } else if (what == 1) {
        made.push_back(TxBuilder().spends(pick()).pays(test::change_script(0), 1 + step).build());
      } else if (what <= 3) {
        test::see(wallet_, pick());
      } else if (what == 4) {
        test::confirm(wallet_, pick(), ++height);
      } else {
        height -= static_cast<chain::Height>(rng.below(4));
        read(wallet_.disconnect_above(test::block_at(height)));
      }
      scan_to(height);
      read(wallet_.tell());
      for (const auto& entry : wallet_.history()) {
        ASSERT_TRUE(log.contains(entry.txid));
        EXPECT_EQ(log.at(entry.txid).net, entry.net);
        EXPECT_EQ(log.at(entry.txid).state == TxStanding::Confirmed, entry.status == TxStatus::Confirmed);
        EXPECT_EQ(log.at(entry.txid).state == TxStanding::Unconfirmed, entry.status == TxStatus::Unconfirmed);
      }
    }
  }
}

}  // namespace
}  // namespace spv::wallet
