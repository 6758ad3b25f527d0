// What `spv wait` takes as its goal, and when it is reached.
#include "cli/commands/wait_goal.h"

#include <gtest/gtest.h>

#include "cli/error.h"
#include "cli/options/options.h"
#include "tests/wallet/wallet_samples.h"
#include "wallet/address.h"

namespace spv::cli {
namespace {

class WaitGoalTest : public testing::Test {
 protected:
  const chain::NetworkParams& params_ = chain::params(chain::Network::Main);
  wallet::Wallet wallet_ = test::sample_wallet();

  static std::string address(std::uint32_t index) {
    return *wallet::address_of_script(test::receive_script(index), chain::params(chain::Network::Main));
  }
  WaitGoal goal(const std::string& target, std::uint32_t confirmations = 1, std::optional<std::string> amount = {}) {
    WaitOptions options;
    options.target = target;
    options.confirmations = confirmations;
    options.amount = std::move(amount);
    return {options, wallet_, params_};
  }
  bool reached(const WaitGoal& wanted) { return wanted.look(wallet_).reached; }
  void scan_to(chain::Height height) { wallet_.set_scan(test::scanned_to(height)); }
};

TEST_F(WaitGoalTest, ATransactionThatNobodyKnowsYetIsWaitedForByAllItsDigits) {
  const auto tx = test::TxBuilder(1).pays(test::receive_script(0), 700).build();
  const auto txid = util::to_string(tx.txid());
  const auto once = goal(txid);
  const auto twice = goal(txid, 2);
  const auto seen = goal(txid, 0);
  EXPECT_EQ(once.missing_text(once.look(wallet_)), "the transaction to appear");
  EXPECT_THROW(goal(txid.substr(0, 8)), CommandError) << "the first digits are enough only of a known one";
  test::see(wallet_, tx);
  EXPECT_EQ(goal(txid.substr(0, 8)).name(), txid);
  EXPECT_TRUE(reached(seen));
  EXPECT_FALSE(reached(once));
  test::confirm(wallet_, tx, 10);
  scan_to(10);
  EXPECT_TRUE(reached(once));
  EXPECT_FALSE(reached(twice));
  EXPECT_EQ(twice.missing_text(twice.look(wallet_)), "2 confirmations (1 so far)");
  scan_to(11);
  EXPECT_TRUE(reached(twice));
}

TEST_F(WaitGoalTest, AReplacedTransactionIsNotWaitedForInVain) {
  const auto payment = test::TxBuilder(1)
                           .spends(test::outpoint(test::TxBuilder(9).pays(test::foreign_script(), 5).build(), 0))
                           .pays(test::receive_script(0), 700)
                           .build();
  const auto instead = test::TxBuilder(2).spends(payment.inputs[0].previous).pays(test::receive_script(1), 600).build();
  const auto wanted = goal(util::to_string(payment.txid()));
  test::see(wallet_, payment);
  test::confirm(wallet_, instead, 10);
  scan_to(10);
  EXPECT_TRUE(wanted.look(wallet_).conflicted);
  EXPECT_FALSE(reached(wanted));
}

TEST_F(WaitGoalTest, AnAddressCountsUnconfirmedPaymentsOnlyWithZeroConfirmations) {
  const auto confirmed = goal(address(3));
  const auto at_once = goal(address(3), 0);
  const auto much = goal(address(3), 0, "1000sat");
  EXPECT_FALSE(reached(at_once));
  const auto tx = test::TxBuilder(1).pays(test::receive_script(3), 700).pays(test::receive_script(4), 5'000).build();
  test::see(wallet_, tx);
  EXPECT_TRUE(reached(at_once));
  EXPECT_FALSE(reached(confirmed));
  EXPECT_FALSE(reached(much)) << "what goes to another address does not count";
  EXPECT_EQ(much.look(wallet_).received, 700);
  test::confirm(wallet_, tx, 10);
  scan_to(10);
  EXPECT_TRUE(reached(confirmed));
  const auto second = test::TxBuilder(2).pays(test::receive_script(3), 300).build();
  test::see(wallet_, second);
  EXPECT_TRUE(reached(much)) << "payments add up";
  EXPECT_FALSE(reached(goal(address(3), 1, "1000sat")));
  EXPECT_EQ(much.look(wallet_).found.size(), 2U);
}

TEST_F(WaitGoalTest, WhatCannotComeIsRefused) {
  EXPECT_THROW(goal("nonsense"), UsageError);
  EXPECT_THROW(goal("abc"), UsageError);
  EXPECT_THROW(goal(""), UsageError);
  EXPECT_THROW(goal(std::string(64, 'g')), UsageError);
  const auto theirs = *wallet::address_of_script(test::foreign_script(), params_);
  try {
    goal(theirs);
    ADD_FAILURE();
  } catch (const CommandError& error) {
    EXPECT_EQ(error.code(), "not-ours");
  }
  try {
    goal("bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080");
    ADD_FAILURE();
  } catch (const CommandError& error) {
    EXPECT_EQ(error.code(), "wrong-network");
  }
  EXPECT_THROW(goal(std::string(64, '1'), 1, "1"), UsageError) << "an amount is of an address";
  for (const char* amount : {"0", "-1", "x", "1.123456789"})
    EXPECT_THROW(goal(address(0), 1, amount), UsageError) << amount;
}

}  // namespace
}  // namespace spv::cli
