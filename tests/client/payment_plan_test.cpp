#include "client/payment_plan.h"

#include <gtest/gtest.h>

#include "tests/wallet/wallet_samples.h"
#include "wallet/address.h"

namespace spv::client {
namespace {

using wallet::spend::FeeRate;

class PaymentPlan : public testing::Test {
 protected:
  PaymentPlan() {
    test::confirm(wallet_, large_, 5);
    test::confirm(wallet_, small_, 6);
    wallet_.set_scan(test::scanned_to(10));
  }
  [[nodiscard]] PaymentOptions paying(chain::Amount amount) const {
    PaymentOptions options;
    options.recipients = {{*wallet::address_of_script(test::foreign_script(), params_), amount}};
    return options;
  }
  [[nodiscard]] Result<SpendPlan> plan(const PaymentOptions& options) const {
    return plan_payment(wallet_, options, FeeRate(2'000), moment_of(wallet_, nullptr, test::kNow), params_);
  }

  const chain::NetworkParams& params_ = chain::params(chain::Network::Main);
  wallet::Wallet wallet_ = test::sample_wallet();
  chain::Transaction large_ = test::TxBuilder().pays(test::receive_script(0), 100'000).build();
  chain::Transaction small_ = test::TxBuilder().pays(test::receive_script(1), 30'000).build();
};

TEST_F(PaymentPlan, IsAPsbtOfAWalletThatIsOnlyLookedAt) {
  const auto made = plan(paying(20'000));
  ASSERT_TRUE(made) << made.error().message;
  const auto payment = unsigned_payment(*made, 2, params_);
  ASSERT_TRUE(payment);
  EXPECT_TRUE(payment->psbt.starts_with("cHNidP8"));
  EXPECT_GE(payment->fee, 2 * payment->vsize);
  EXPECT_EQ(unsigned_payment(*made, 1, params_).error().code, ErrorCode::InvalidArgument);
}

TEST_F(PaymentPlan, LeavesFrozenCoinsAlone) {
  ASSERT_TRUE(plan(paying(90'000)));
  wallet_.set_frozen({test::outpoint(large_)});
  EXPECT_EQ(plan(paying(90'000)).error().code, ErrorCode::Refused);
  const auto made = plan(paying(20'000));
  ASSERT_TRUE(made);
  ASSERT_EQ(made->draft.inputs.size(), 1U);
  EXPECT_EQ(made->draft.inputs[0].outpoint, test::outpoint(small_));
}

TEST_F(PaymentPlan, TellsABadArgumentFromWhatCannotBePaid) {
  EXPECT_EQ(plan(paying(1'000'000)).error().code, ErrorCode::Refused);
  EXPECT_EQ(plan(paying(1)).error().code, ErrorCode::Refused) << "dust";
  EXPECT_EQ(plan({}).error().code, ErrorCode::InvalidArgument);
  auto elsewhere = paying(20'000);
  elsewhere.coins = {"nonsense"};
  EXPECT_EQ(plan(elsewhere).error().code, ErrorCode::InvalidArgument);
}

TEST_F(PaymentPlan, KnowsTheMomentFromTheWalletAndThePeers) {
  FeesKnown fees;
  fees.floor = 1'500;
  const auto moment = moment_of(wallet_, &fees, test::kNow);
  EXPECT_EQ(moment.tip.height, 10);
  EXPECT_EQ(moment.now, test::kNow);
  EXPECT_EQ(moment.floor->sat_per_kvb(), 1'500);
  EXPECT_FALSE(moment_of(wallet_, nullptr, test::kNow).floor);
}

}  // namespace
}  // namespace spv::client
