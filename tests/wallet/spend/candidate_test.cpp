// Which coins a payment may choose from, and what a message says of the others.
#include "wallet/spend/candidate.h"

#include <gtest/gtest.h>

#include "tests/wallet/spend/coin_samples.h"

namespace spv::wallet::spend {
namespace {

using Outpoints = std::vector<chain::OutPoint>;

std::vector<Outpoints> lists_of(const std::vector<Candidate>& coins, bool allow_unconfirmed = false) {
  std::vector<Outpoints> lists;
  for (const CoinRefs& refs : eligible_coins(coins, allow_unconfirmed)) {
    lists.emplace_back();
    for (const Candidate* coin : refs) lists.back().push_back(coin->outpoint);
  }
  return lists;
}

Candidate unconfirmed(std::uint32_t number, chain::Amount value, std::uint32_t ancestors,
                      CoinStanding standing = CoinStanding::OwnChange) {
  Candidate coin = test::coin(number, value);
  coin.standing = standing;
  coin.ancestors = ancestors;
  return coin;
}

TEST(SpendableCoins, HaveAnAmountThatThereCanBe) {
  const auto is_offered = [](chain::Amount value) { return !lists_of({test::coin(1, value)}).front().empty(); };
  EXPECT_FALSE(is_offered(-1));
  EXPECT_FALSE(is_offered(0));
  EXPECT_TRUE(is_offered(1));
  EXPECT_TRUE(is_offered(chain::kMaxMoney));
  EXPECT_FALSE(is_offered(chain::kMaxMoney + 1));
}

TEST(SpendableCoins, ComeInListsOfWhichEachOffersMore) {
  const std::vector<Candidate> coins{test::coin(1, 1'000), unconfirmed(2, 1'000, 1),
                                     unconfirmed(3, 1'000, 1, CoinStanding::Foreign)};
  const Outpoints confirmed{test::outpoint(1)};
  const Outpoints own{test::outpoint(1), test::outpoint(2)};
  const Outpoints all{test::outpoint(1), test::outpoint(2), test::outpoint(3)};
  EXPECT_EQ(lists_of(coins), (std::vector{confirmed, own}));
  EXPECT_EQ(lists_of(coins, true), (std::vector{confirmed, own, all}));
  EXPECT_EQ(lists_of({coins[0], coins[1]}, true), (std::vector{confirmed, own})) << "no stranger's coin";
  EXPECT_EQ(lists_of({coins[0]}, true), std::vector<Outpoints>{confirmed});
}

TEST(SpendableCoins, HaveAtMost24AncestorsTogether) {
  std::vector<Candidate> coins;
  for (std::uint32_t i = 1; i <= 24; ++i) coins.push_back(unconfirmed(i, 1'000, 0));
  EXPECT_EQ(lists_of(coins).size(), 2U) << "all fit: the largest are no other list";
  EXPECT_EQ(lists_of(coins)[1].size(), 24U) << "each is at least one itself";
  coins.push_back(unconfirmed(25, 2'000, 0));
  ASSERT_EQ(lists_of(coins).size(), 3U);
  EXPECT_EQ(lists_of(coins)[1].size(), 24U);
  coins.push_back(unconfirmed(26, 5'000, 24));
  EXPECT_EQ(lists_of(coins)[2], Outpoints{test::outpoint(26)}) << "the largest alone";
}

TEST(SpendableCoins, OfOneTransactionShareItsAncestors) {
  std::vector<Candidate> coins{unconfirmed(1, 1'000, 12), unconfirmed(2, 900, 12), unconfirmed(3, 800, 12)};
  coins[1].outpoint = test::outpoint(1, 1);
  EXPECT_EQ(lists_of(coins)[1].size(), 3U);
  coins[1].outpoint = test::outpoint(4);
  EXPECT_EQ(lists_of(coins)[1].size(), 2U);
}

TEST(CoinsHeldBack, AreSummedUpByTheirReason) {
  std::vector<Candidate> coins{test::coin(1, 10), test::coin(2, 20), test::coin(3, 300), test::coin(4, 40),
                               test::coin(5, 5'000)};
  EXPECT_EQ(held_back(coins, false), "");
  coins[0].frozen = true;
  coins[1].frozen = true;
  coins[2].standing = CoinStanding::Foreign;
  coins[3].standing = CoinStanding::Immature;
  EXPECT_EQ(
      held_back(coins, false),
      "; another 300 sat are unconfirmed; --unconfirmed allows it; another 40 sat are of a young coinbase; another "
      "30 sat are frozen");
  EXPECT_EQ(held_back(coins, true), "; another 40 sat are of a young coinbase; another 30 sat are frozen");
  coins[3].standing = CoinStanding::Confirmed;
  coins[3].reserved = true;
  coins[4].weight = std::nullopt;
  EXPECT_EQ(
      held_back(coins, true),
      "; another 40 sat are reserved for a transaction that was not sent; another 30 sat are frozen; another 5000 "
      "sat are of scripts whose keys the wallet does not know");
}

TEST(CoinsHeldBack, AreAtMostAllTheMoneyThatThereIs) {
  std::vector<Candidate> coins{test::coin(1, -5), test::coin(2, 7)};
  for (auto& coin : coins) coin.frozen = true;
  EXPECT_EQ(held_back(coins, false), "; another 7 sat are frozen");
  coins[0].output.value = chain::kMaxMoney + 1;
  EXPECT_EQ(held_back(coins, false), "; another 2100000000000000 sat are frozen");
}

}  // namespace
}  // namespace spv::wallet::spend
