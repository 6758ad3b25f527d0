#include "wallet/spend/coin_selection.h"

#include <array>
#include <limits>
#include <set>
#include <tuple>

#include <gtest/gtest.h>

#include "tests/wallet/spend/coin_samples.h"

namespace spv::wallet::spend {
namespace {

constexpr std::int64_t kNoLimit = 1'000'000'000;

/// A pool of values alone: no fees.
struct Case {
  std::vector<Candidate> coins;
  SelectionTask task;

  [[nodiscard]] CoinPool pool(bool together = false) const {
    CoinRefs refs;
    for (const Candidate& coin : coins) refs.push_back(&coin);
    return make_pool(refs, task, together);
  }
};

/// Up to 12 coins of several kinds and a target that some of them may hit.
Case random_case(util::Rng& rng) {
  Case made;
  const auto count = static_cast<std::uint32_t>(1 + rng.below(12));
  const std::uint64_t range = 1ULL << (10 + rng.below(10));
  chain::Amount sum = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    made.coins.push_back(test::coin(i + 1, static_cast<chain::Amount>(1 + rng.below(range))));
    if (rng.below(3) == 0 && i > 0) made.coins.back().output.value = made.coins[i - 1].output.value;
    if (rng.below(3) == 0) made.coins.back().weight = InputWeight{.weight = 588, .segwit = false};
    if (rng.below(3) == 0) made.coins.back().weight = InputWeight{.weight = 230, .segwit = true};
    sum += made.coins.back().value();
  }
  static constexpr std::array kRates{1'000, 9'999, 10'000, 10'001, 25'000, 40'000};
  made.task.rate = FeeRate(kRates.at(rng.below(6)));
  made.task.segwit = true;
  made.task.subtract_fee = rng.below(5) == 0;
  made.task.change = change_cost(test::wpkh_change(), made.task.rate);
  made.task.target = static_cast<chain::Amount>(1 + rng.below(static_cast<std::uint64_t>(sum)));
  made.task.change_target = static_cast<chain::Amount>(rng.below(range));
  made.task.max_weight = rng.below(4) == 0 ? static_cast<std::int64_t>(300 + rng.below(2'000)) : kNoLimit;
  return made;
}

struct Sums {
  chain::Amount effective = 0;
  std::int64_t weight = 0;
  chain::Amount waste = 0;  // of the inputs
  chain::Amount least = 0;  // the least coin
  std::size_t coins = 0;
};

/// By the rules, not by the code that is tested: straight from the coins.
Sums sums_of(const Case& made, std::uint32_t chosen) {
  Sums sums;
  sums.least = std::numeric_limits<chain::Amount>::max();
  for (std::size_t i = 0; i < made.coins.size(); ++i) {
    if ((chosen >> i & 1U) == 0) continue;
    const auto& coin = made.coins[i];
    const std::int64_t weight = coin.weight->weight + (coin.weight->segwit ? 0 : 1);
    const auto fee_at = [&](std::int64_t rate) { return (rate * weight + 3'999) / 4'000; };
    const chain::Amount fee = fee_at(made.task.rate.sat_per_kvb());
    const chain::Amount brings = coin.value() - (made.task.subtract_fee ? 0 : fee);
    sums.effective += brings;
    sums.weight += weight;
    sums.waste += fee - fee_at(10'000);
    sums.least = std::min(sums.least, brings);
    ++sums.coins;
  }
  return sums;
}

/// Coins that cost more than they bring are in no pool.
bool is_choice(const Case& made, std::uint32_t chosen) {
  for (std::size_t i = 0; i < made.coins.size(); ++i) {
    const auto& coin = made.coins[i];
    const std::int64_t weight = coin.weight->weight + (coin.weight->segwit ? 0 : 1);
    const bool worthless = coin.value() <= (made.task.rate.sat_per_kvb() * weight + 3'999) / 4'000;
    if ((chosen >> i & 1U) != 0 && worthless) return false;
  }
  return true;
}

std::uint32_t as_bits(const Case& made, const CoinPool& pool, const std::vector<std::size_t>& groups) {
  std::uint32_t bits = 0;
  for (const std::size_t place : groups) {
    for (std::size_t i = 0; i < pool.groups[place].count; ++i) {
      const auto* coin = pool.coins[pool.groups[place].first + i];
      const auto at = static_cast<std::size_t>(coin - made.coins.data());
      EXPECT_EQ(bits >> at & 1U, 0U) << "a coin was chosen twice";
      bits |= 1U << at;
    }
  }
  return bits;
}

chain::Amount most_without_change(const SelectionTask& task) {
  return task.subtract_fee ? task.change.min_viable - 1 : task.change.output_fee + task.change.spend_fee;
}

TEST(BranchAndBound, FindsTheLeastWasteOfAllSetsWithoutChange) {
  util::Rng rng(1);
  int found = 0;
  for (int round = 0; round < 1'500; ++round) {
    const Case made = random_case(rng);
    std::optional<Sums> best;
    for (std::uint32_t chosen = 1; chosen < 1U << made.coins.size(); ++chosen) {
      if (!is_choice(made, chosen)) continue;
      Sums sums = sums_of(made, chosen);
      const chain::Amount excess = sums.effective - made.task.target;
      if (excess < 0 || excess > most_without_change(made.task) || sums.weight > made.task.max_weight) continue;
      // A coin that is not needed is not burnt for the fee.
      if (sums.effective - sums.least >= made.task.target) continue;
      sums.waste += excess;
      if (!best || sums.waste < best->waste || (sums.waste == best->waste && sums.coins > best->coins)) best = sums;
    }
    const CoinPool pool = made.pool();
    const auto result = branch_and_bound(pool, made.task);
    ASSERT_EQ(result.has_value(), best.has_value()) << "round " << round;
    if (!result) continue;
    ++found;
    const Sums sums = sums_of(made, as_bits(made, pool, *result));
    ASSERT_EQ(sums.waste + sums.effective - made.task.target, best->waste) << "round " << round;
    ASSERT_EQ(sums.coins, best->coins) << "round " << round;
  }
  EXPECT_GT(found, 200);
}

/// At the long-term rate inputs have no waste of their own; one of P2WPKH costs 678 sat.
Case case_at_the_long_term_rate(const std::vector<chain::Amount>& brings) {
  Case made;
  made.task.rate = kLongTermRate;
  made.task.change = change_cost(test::wpkh_change(), made.task.rate);
  made.task.target = 100'000;
  made.task.max_weight = kNoLimit;
  for (const chain::Amount each : brings) {
    made.coins.push_back(test::coin(static_cast<std::uint32_t>(made.coins.size() + 1), each + 678));
  }
  return made;
}

TEST(BranchAndBound, PaysAtMostWhatChangeWouldCost) {
  const auto finds = [](chain::Amount brings) {
    const Case made = case_at_the_long_term_rate({brings});
    return branch_and_bound(made.pool(), made.task).has_value();
  };
  // 310 sat for the output, 680 for spending it.
  EXPECT_TRUE(finds(100'990));
  EXPECT_FALSE(finds(100'991));
  EXPECT_TRUE(finds(100'000));
  EXPECT_FALSE(finds(99'999));
}

TEST(BranchAndBound, PrefersMoreInputsAtTheSameWaste) {
  const Case made = case_at_the_long_term_rate({100'000, 60'000, 40'000});
  EXPECT_EQ(branch_and_bound(made.pool(), made.task), (std::vector<std::size_t>{1, 2}));
}

/// Coins that bring these values and weigh this much; no fees, change costs nothing: only an exact sum needs none.
Case case_without_fees(const std::vector<std::pair<chain::Amount, std::int64_t>>& coins, chain::Amount target) {
  Case made;
  for (const auto& [value, weight] : coins) {
    made.coins.push_back(test::coin(static_cast<std::uint32_t>(made.coins.size() + 1), value));
    made.coins.back().weight = InputWeight{.weight = weight, .segwit = true};
  }
  made.task.target = target;
  made.task.max_weight = kNoLimit;
  return made;
}

TEST(BranchAndBound, PrefersMoreInputsAtTheSameWasteAtAHighRateToo) {
  // One coin of twice the weight of the others: the inputs cost the same.
  Case made = case_without_fees({{102'720, 544}, {61'360, 272}, {41'360, 272}}, 100'000);
  made.task.rate = FeeRate(20'000);
  EXPECT_EQ(branch_and_bound(made.pool(), made.task), (std::vector<std::size_t>{1, 2}));
}

TEST(BranchAndBound, KeepsTheFirstOfEqualChoices) {
  const Case made = case_at_the_long_term_rate({70'000, 60'000, 40'000, 30'000});
  EXPECT_EQ(branch_and_bound(made.pool(), made.task), (std::vector<std::size_t>{0, 3}));
}

TEST(BranchAndBound, TriesEqualCoinsOnce) {
  // Thirty coins of which no choice fits, before the five that do: all their choices would take more steps than it has.
  std::vector<std::pair<chain::Amount, std::int64_t>> coins(30, {10'000, 271});
  coins.resize(35, {9'100, 271});
  const Case made = case_without_fees(coins, 45'500);
  EXPECT_EQ(branch_and_bound(made.pool(), made.task), (std::vector<std::size_t>{30, 31, 32, 33, 34}));
}

TEST(CoinGrinder, FindsTheLeastWeightOfAllSets) {
  util::Rng rng(2);
  int found = 0;
  for (int round = 0; round < 1'500; ++round) {
    const Case made = random_case(rng);
    const chain::Amount goal =
        made.task.target + made.task.change_target + (made.task.subtract_fee ? 0 : made.task.change.output_fee);
    std::optional<Sums> best;
    for (std::uint32_t chosen = 1; chosen < 1U << made.coins.size(); ++chosen) {
      if (!is_choice(made, chosen)) continue;
      const Sums sums = sums_of(made, chosen);
      if (sums.effective < goal || sums.weight > made.task.max_weight) continue;
      if (!best || std::tie(sums.weight, sums.effective) < std::tie(best->weight, best->effective)) best = sums;
    }
    const CoinPool pool = made.pool();
    const auto result = coin_grinder(pool, made.task);
    ASSERT_EQ(result.has_value(), best.has_value()) << "round " << round;
    if (!result) continue;
    ++found;
    const Sums sums = sums_of(made, as_bits(made, pool, *result));
    ASSERT_EQ(sums.weight, best->weight) << "round " << round;
    ASSERT_EQ(sums.effective, best->effective) << "round " << round;
  }
  EXPECT_GT(found, 200);
}

TEST(CoinGrinder, PrefersTheLeastValueAtTheSameWeight) {
  // Only five of the first six reach the target; it must not try all that have one of the others.
  std::vector<std::pair<chain::Amount, std::int64_t>> coins;
  for (const chain::Amount value : {1'000, 999, 998, 997, 996, 995}) coins.emplace_back(value, 271);
  for (chain::Amount value = 900; value > 800; --value) coins.emplace_back(value, 271);
  const Case made = case_without_fees(coins, 4'985);
  EXPECT_EQ(coin_grinder(made.pool(), made.task), (std::vector<std::size_t>{1, 2, 3, 4, 5}));
}

TEST(CoinGrinder, TriesEqualCoinsOnce) {
  // Four of the first forty are enough, five of the last are lighter.
  std::vector<std::pair<chain::Amount, std::int64_t>> coins(40, {10, 271});
  coins.resize(45, {9, 200});
  const Case made = case_without_fees(coins, 40);
  EXPECT_EQ(coin_grinder(made.pool(), made.task), (std::vector<std::size_t>{40, 41, 42, 43, 44}));
}

TEST(CoinGrinder, KeepsTheFirstOfEqualChoices) {
  const Case made = case_without_fees({{70, 271}, {60, 271}, {40, 271}, {30, 271}}, 100);
  EXPECT_EQ(coin_grinder(made.pool(), made.task), (std::vector<std::size_t>{0, 3}));
}

TEST(SelectCoins, MayUseAllTheWeightAndAllTheValueThatThereIs) {
  const auto found = [](std::int64_t max_weight, chain::Amount target) {
    Case made = case_without_fees({{100, 271}, {100, 271}}, target);
    made.task.max_weight = max_weight;
    util::Rng rng(1);
    return std::vector<bool>{branch_and_bound(made.pool(), made.task).has_value(),
                             coin_grinder(made.pool(), made.task).has_value(),
                             random_draw(made.pool(), target, max_weight, rng).has_value()};
  };
  EXPECT_EQ(found(542, 200), (std::vector{true, true, true}));
  EXPECT_EQ(found(541, 200), (std::vector{false, false, false}));
  EXPECT_EQ(found(542, 201), (std::vector{false, false, false}));
}

TEST(RandomDraw, ReachesTheTargetWithinTheWeight) {
  util::Rng rng(3);
  for (int round = 0; round < 1'000; ++round) {
    const Case made = random_case(rng);
    const CoinPool pool = made.pool();
    const auto result = random_draw(pool, made.task.target, made.task.max_weight, rng);
    if (!result) continue;
    const Sums sums = sums_of(made, as_bits(made, pool, *result));
    EXPECT_GE(sums.effective, made.task.target);
    EXPECT_LE(sums.weight, made.task.max_weight);
  }
}

TEST(RandomDraw, StopsAtTheTarget) {
  Case made;
  for (std::uint32_t i = 0; i < 50; ++i) made.coins.push_back(test::coin(i + 1, 10'000));
  const CoinPool pool = made.pool();
  util::Rng rng(4);
  std::set<std::vector<std::size_t>> draws;
  for (int i = 0; i < 20; ++i) {
    const auto drawn = random_draw(pool, 45'000, kNoLimit, rng).value();
    EXPECT_EQ(drawn.size(), 5U);
    draws.insert(drawn);
  }
  EXPECT_GT(draws.size(), 15U);
  EXPECT_FALSE(random_draw(pool, 500'001, kNoLimit, rng));
  EXPECT_TRUE(random_draw(pool, 500'000, kNoLimit, rng));
  EXPECT_EQ(random_draw(pool, 50'000, kNoLimit, rng)->size(), 5U);
  EXPECT_FALSE(random_draw(pool, 0, kNoLimit, rng)) << "nothing to pay needs no coin";
}

TEST(RandomDraw, GivesTheLeastCoinsBackWhereAllWeighTooMuch) {
  // Room for two: the two largest are left, in whatever order they were drawn.
  const Case made = case_without_fees({{50, 271}, {40, 271}, {30, 271}, {20, 271}}, 90);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    util::Rng rng(seed);
    const auto drawn = random_draw(made.pool(), 90, 542, rng);
    ASSERT_TRUE(drawn);
    EXPECT_EQ(std::set<std::size_t>(drawn->begin(), drawn->end()), (std::set<std::size_t>{0, 1}));
  }
}

/// Waste as Bitcoin Core's wallet defines it.
chain::Amount core_waste(const Case& made, const Sums& sums) {
  const chain::Amount excess = sums.effective - made.task.target;
  const chain::Amount change = excess - (made.task.subtract_fee ? 0 : made.task.change.output_fee);
  if (change >= made.task.change.min_viable) {
    return sums.waste + made.task.change.output_fee + made.task.change.spend_fee;
  }
  return sums.waste + excess;
}

TEST(SelectCoins, ChoosesTheLeastWasteOfTheSearches) {
  util::Rng rng(5);
  int chosen = 0;
  for (int round = 0; round < 1'500; ++round) {
    const Case made = random_case(rng);
    const CoinPool pool = made.pool();
    util::Rng draw(static_cast<std::uint64_t>(round));
    const auto selection = select_coins(pool, made.task, draw);
    Sums all = sums_of(made, 0);
    for (std::uint32_t i = 0; i < made.coins.size(); ++i) {
      if (is_choice(made, 1U << i)) all.effective += sums_of(made, 1U << i).effective;
    }
    if (!selection) {
      EXPECT_TRUE(all.effective < made.task.target || made.task.max_weight != kNoLimit);
      continue;
    }
    ++chosen;
    const Sums sums = sums_of(made, as_bits(made, pool, selection->groups));
    EXPECT_GE(sums.effective, made.task.target);
    EXPECT_LE(sums.weight, made.task.max_weight);
    EXPECT_EQ(selection->effective, sums.effective);
    EXPECT_EQ(selection->weight, sums.weight);
    EXPECT_EQ(selection->coins, sums.coins);
    EXPECT_EQ(selection->waste, core_waste(made, sums));
    if (const auto exact = branch_and_bound(pool, made.task)) {
      EXPECT_LE(selection->waste, sum_up(pool, *exact, Algorithm::BranchAndBound, made.task).waste);
    }
    const auto light = coin_grinder(pool, made.task);
    if (light && made.task.rate > FeeRate(30'000)) {
      EXPECT_LE(selection->waste, sum_up(pool, *light, Algorithm::CoinGrinder, made.task).waste);
    }
  }
  EXPECT_GT(chosen, 500);
}

TEST(SelectCoins, GrindsOnlyAboveThreeTimesTheLongTermRate) {
  // One large coin, and many whose sum is as large: at a high rate the large one is the lightest.
  Case made;
  made.coins.push_back(test::coin(1, 10'000'000));
  for (std::uint32_t i = 0; i < 300; ++i) made.coins.push_back(test::coin(i + 2, 100'000));
  made.task.target = 1'000'000;
  made.task.change_target = 60'000;
  made.task.max_weight = kNoLimit;
  const auto algorithms = [&](std::int64_t rate) {
    made.task.rate = FeeRate(rate);
    made.task.change = change_cost(test::wpkh_change(), made.task.rate);
    std::set<Algorithm> seen;
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
      util::Rng rng(seed);
      seen.insert(select_coins(made.pool(), made.task, rng)->algorithm);
    }
    return seen;
  };
  EXPECT_FALSE(algorithms(30'000).contains(Algorithm::CoinGrinder));
  EXPECT_TRUE(algorithms(30'001).contains(Algorithm::CoinGrinder));
}

TEST(SelectCoins, TakesChangeThatIsWorthItBeforeNone) {
  // One coin would do and burn 995 sat, more than change costs; two leave change, though less than is aimed for.
  Case made = case_at_the_long_term_rate({9'995, 9'995});
  made.task.target = 9'000;
  made.task.change_target = 50'000;
  util::Rng rng(1);
  const auto selection = select_coins(made.pool(), made.task, rng);
  ASSERT_TRUE(selection);
  EXPECT_EQ(selection->coins, 2U);
  EXPECT_EQ(change_of(selection->effective, made.task), 2 * 9'995 - 9'000 - 310);
}

TEST(SelectCoins, KeepsTheFirstOfEqualChoices) {
  const Case made = case_without_fees({{100, 271}}, 100);
  util::Rng rng(1);
  EXPECT_EQ(select_coins(made.pool(), made.task, rng)->algorithm, Algorithm::BranchAndBound);
}

TEST(ChangeOf, IsNothingBelowTheLeastThatIsWorthAnOutput) {
  Case made = case_at_the_long_term_rate({});
  // 310 sat for the output, 980 as the least.
  EXPECT_EQ(change_of(100'000 + 310 + 980, made.task), 980);
  EXPECT_EQ(change_of(100'000 + 310 + 979, made.task), 0);
  made.task.subtract_fee = true;
  EXPECT_EQ(change_of(100'000 + 980, made.task), 980);
  EXPECT_EQ(change_of(100'000 + 979, made.task), 0);
}

TEST(MakePool, CountsAByteForTheEmptyWitnessOfALegacyInputBesideSegwit) {
  Case made;
  made.coins = {test::coin(1, 10'000), test::coin(2, 9'000)};
  made.coins[1].weight = InputWeight{.weight = 588, .segwit = false};
  const auto weights = [&](bool segwit) {
    made.task.segwit = segwit;
    const CoinPool pool = made.pool();
    return std::vector{pool.groups[0].weight, pool.groups[1].weight};
  };
  EXPECT_EQ(weights(true), (std::vector<std::int64_t>{271, 589}));
  EXPECT_EQ(weights(false), (std::vector<std::int64_t>{271, 588}));
}

TEST(MakePool, LeavesOutWhatCostsMoreThanItBrings) {
  Case made;
  made.task.rate = FeeRate(10'000);
  // 271 weight units at 10 sat/vB cost 678 sat.
  for (const chain::Amount value : {677, 678, 679}) {
    made.coins.push_back(test::coin(static_cast<std::uint32_t>(value), value));
  }
  const CoinPool pool = made.pool();
  ASSERT_EQ(pool.groups.size(), 1U);
  EXPECT_EQ(pool.groups[0].effective, 1);
  EXPECT_EQ(pool.groups[0].fee, 678);
  made.task.subtract_fee = true;
  ASSERT_EQ(made.pool().groups.size(), 1U);
  EXPECT_EQ(made.pool().groups[0].effective, 679);
}

TEST(MakePool, PutsTheCoinsOfAScriptTogether) {
  Case made;
  for (std::uint32_t i = 0; i < 250; ++i) {
    made.coins.push_back(test::coin(i + 1, 10'000));
    made.coins.back().output.script_pubkey = test::wpkh_script(7);
  }
  made.coins.push_back(test::coin(900, 5'000));
  const CoinPool pool = made.pool(true);
  std::vector<std::size_t> counts;
  for (const auto& group : pool.groups) counts.push_back(group.count);
  EXPECT_EQ(counts, (std::vector<std::size_t>{100, 100, 50, 1}));
  EXPECT_EQ(pool.groups[0].weight, 27'100);
  EXPECT_EQ(made.pool(false).groups.size(), 251U);
}

TEST(ChangeCost, IsThatOfBitcoinCore) {
  const ChangeCost cost = change_cost(test::wpkh_change(), FeeRate(5'000));
  EXPECT_EQ(cost.output_fee, 155);
  EXPECT_EQ(cost.spend_fee, 680);
  EXPECT_EQ(cost.total(), 835);
  EXPECT_EQ(cost.min_viable, 980);  // dust at 10 sat/vB
  EXPECT_EQ(cost.output_weight, 124);
  // Without a known input that of one key: 68 or 148 vB at 10 sat/vB.
  EXPECT_EQ(change_cost({.script = test::wpkh_script(1)}, FeeRate(5'000)).spend_fee, 680);
  EXPECT_EQ(change_cost({.script = test::pkh_script(1)}, FeeRate(5'000)).spend_fee, 1'480);
  // Legacy: 182 bytes of output and input.
  EXPECT_EQ(change_cost({.script = test::pkh_script(1)}, FeeRate(5'000)).min_viable, 1'820);
  // A large multisig costs more to spend than dust.
  auto large = test::wpkh_change();
  large.weight = InputWeight{.weight = 1'000, .segwit = true};
  EXPECT_EQ(change_cost(large, FeeRate(5'000)).min_viable, 2'501);
}

TEST(ChangeTarget, IsEvenlyDrawnUpToTwiceThePaymentAndAMillion) {
  // How many amounts there are to draw from, 50,000 sat among them.
  for (const auto& [payment, amounts] :
       {std::pair(chain::Amount{1}, 1U), std::pair(chain::Amount{20'000}, 1U), std::pair(chain::Amount{25'000}, 1U),
        std::pair(chain::Amount{25'001}, 3U), std::pair(chain::Amount{400'000}, 750'001U),
        std::pair(chain::Amount{500'000}, 950'001U), std::pair(chain::kMaxMoney, 950'001U)}) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      util::Rng rng(seed);
      util::Rng same(seed);
      EXPECT_EQ(change_target(payment, rng), 50'000 + static_cast<chain::Amount>(same.below(amounts))) << payment;
    }
  }
}

TEST(ChangeTarget, IsWithinItsRange) {
  util::Rng rng(6);
  EXPECT_EQ(change_target(1, rng), 50'000);
  EXPECT_EQ(change_target(25'000, rng), 50'000);
  chain::Amount least = chain::kMaxMoney;
  chain::Amount most = 0;
  for (int i = 0; i < 2'000; ++i) {
    const auto target = change_target(60'000, rng);
    least = std::min(least, target);
    most = std::max(most, target);
  }
  EXPECT_GE(least, 50'000);
  EXPECT_LT(least, 51'000);
  EXPECT_LE(most, 120'000);
  EXPECT_GT(most, 119'000);
  for (int i = 0; i < 1'000; ++i) EXPECT_LE(change_target(chain::kMaxMoney, rng), 1'000'000);
}

}  // namespace
}  // namespace spv::wallet::spend
