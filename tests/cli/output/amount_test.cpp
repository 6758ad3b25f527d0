#include "cli/output/amount.h"

#include <limits>

#include <gtest/gtest.h>

namespace spv::cli {
namespace {

TEST(Amount, IsExactInEveryUnit) {
  EXPECT_EQ(amount_text(150'000'000, AmountUnit::Btc), "1.50000000");
  EXPECT_EQ(amount_text(150'000'000, AmountUnit::Mbtc), "1500.00000");
  EXPECT_EQ(amount_text(150'000'000, AmountUnit::Sat), "150000000");
  EXPECT_EQ(amount_text(0, AmountUnit::Btc), "0.00000000");
  EXPECT_EQ(amount_text(-1, AmountUnit::Btc), "-0.00000001");
  EXPECT_EQ(amount_text(-1, AmountUnit::Mbtc), "-0.00001");
  EXPECT_EQ(amount_text(-1, AmountUnit::Sat), "-1");
}

// As a double 20,999,999.99999999 has no eighth decimal any more where it is added up or written with fewer digits.
TEST(Amount, HasNoLimitWhereDigitsAreLost) {
  EXPECT_EQ(amount_text(chain::kMaxMoney - 1, AmountUnit::Btc), "20999999.99999999");
  EXPECT_EQ(amount_text(std::numeric_limits<chain::Amount>::max(), AmountUnit::Btc), "92233720368.54775807");
  EXPECT_EQ(amount_text(std::numeric_limits<chain::Amount>::min(), AmountUnit::Btc), "-92233720368.54775808");
}

TEST(Amount, AChangeHasASignAndAUnit) {
  EXPECT_EQ(change_text(50'000'000, AmountUnit::Btc), "+0.50000000 BTC");
  EXPECT_EQ(change_text(-50'000'000, AmountUnit::Mbtc), "-500.00000 mBTC");
  EXPECT_EQ(change_text(0, AmountUnit::Sat), "+0 sat");
  EXPECT_EQ(amount_with_unit(7, AmountUnit::Sat), "7 sat");
}

}  // namespace
}  // namespace spv::cli
