// What `spv send` takes as recipients, amounts, coins and fee rates.
#include "cli/commands/spend/payment_arguments.h"

#include <gtest/gtest.h>

#include "cli/error.h"
#include "tests/wallet/wallet_samples.h"
#include "wallet/address.h"
#include "wallet/label.h"

namespace spv::cli {
namespace {

using wallet::spend::FeeRate;

class PaymentArguments : public testing::Test {
 protected:
  const chain::NetworkParams& params_ = chain::params(chain::Network::Main);
  wallet::Wallet wallet_ = test::sample_wallet();
  const std::string address_ = *wallet::address_of_script(test::foreign_script(), params_);

  PaymentOrder order(const std::vector<std::string>& payments, SendOptions options = {}) {
    options.payments = payments;
    return payment_order(options, wallet_, params_);
  }
};

TEST_F(PaymentArguments, PairsOfAddressAndAmount) {
  const auto made = order({address_, "0.001", address_, "123sat", address_, "all"});
  ASSERT_EQ(made.request.recipients.size(), 3U);
  EXPECT_EQ(made.request.recipients[0].amount, 100'000);
  EXPECT_EQ(made.request.recipients[1].amount, 123);
  EXPECT_FALSE(made.request.recipients[2].amount);
  EXPECT_EQ(made.request.recipients[2].script, test::foreign_script());
  for (const auto& bad : std::vector<std::vector<std::string>>{{},
                                                               {address_},
                                                               {address_, "0"},
                                                               {address_, "-1"},
                                                               {address_, "1e3"},
                                                               {address_, "0.000000001"},
                                                               {address_, "21000001"},
                                                               {address_, "all", address_, "all"},
                                                               {"x", "1"},
                                                               {"1", address_}}) {
    EXPECT_THROW(order(bad), UsageError) << testing::PrintToString(bad);
  }
}

TEST_F(PaymentArguments, AnAddressOfAnotherNetworkIsRefusedByItsName) {
  const auto regtest = wallet::address_of_script(test::foreign_script(), chain::params(chain::Network::Regtest));
  try {
    order({*regtest, "1"});
    FAIL() << "taken";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("main"), std::string::npos) << error.what();
  }
}

TEST_F(PaymentArguments, APaymentUriNamesAmountAndLabel) {
  const auto made = order({"bitcoin:" + address_ + "?amount=0.5&label=caf%C3%A9%0A%1B%5B31m"});
  ASSERT_EQ(made.request.recipients.size(), 1U);
  EXPECT_EQ(made.request.recipients[0].amount, 50'000'000);
  ASSERT_TRUE(made.label);
  EXPECT_EQ(made.label->find_first_of("\n\x1b"), std::string::npos) << "nothing that moves the cursor";
  SendOptions labelled;
  labelled.label = "rent";
  EXPECT_EQ(order({"bitcoin:" + address_ + "?amount=0.5&label=x"}, labelled).label, "rent");
  EXPECT_THROW(order({"bitcoin:" + address_}), UsageError) << "no amount";
  EXPECT_THROW(order({"bitcoin:" + address_ + "?amount=0.5&req-future=1"}), UsageError);
}

TEST_F(PaymentArguments, FeeRatesAreExactToAThousandth) {
  EXPECT_EQ(parse_fee_rate("1"), FeeRate(1'000));
  EXPECT_EQ(parse_fee_rate("2.5"), FeeRate(2'500));
  EXPECT_EQ(parse_fee_rate("0.001"), FeeRate(1));
  for (const char* bad : {"", "0", "0.000", ".5", "1.", "-1", "+1", "1.0001", "1e3", "99999999", "nan", "1 "}) {
    EXPECT_FALSE(parse_fee_rate(bad)) << bad;
  }
}

TEST_F(PaymentArguments, CoinsAreNamedByTheirOutpoint) {
  const std::string txid(64, 'a');
  SendOptions options;
  options.coins = {txid + ":0", txid + ":7"};
  const auto made = order({address_, "1"}, options);
  ASSERT_EQ(made.request.coins.size(), 2U);
  EXPECT_EQ(made.request.coins[1].index, 7U);
  for (const std::string& bad :
       {txid, txid + ":", txid + ":-1", txid + ":4294967296", std::string("a:0"), txid + ":0x"}) {
    EXPECT_FALSE(wallet::parse_outpoint(bad)) << bad;
  }
}

}  // namespace
}  // namespace spv::cli
