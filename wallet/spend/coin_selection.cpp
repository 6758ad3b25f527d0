#include "wallet/spend/coin_selection.h"

#include <algorithm>
#include <tuple>

#include "wallet/spend/selection_bounds.h"

namespace spv::wallet::spend {
namespace {

/// Coins of one script beyond this many are another group: a transaction has a limit of weight.
constexpr std::size_t kMaxGroup = 100;

std::int64_t weight_in(const SelectionTask& task, const Candidate& coin) {
  return coin.weight->weight + (task.segwit && !coin.weight->segwit ? 1 : 0);
}

/// Those that bring more than they cost, in an order that does not depend on the caller's.
CoinRefs worthwhile(std::span<const Candidate* const> coins, const SelectionTask& task, bool by_script) {
  CoinRefs kept;
  kept.reserve(coins.size());
  for (const Candidate* coin : coins) {
    if (coin->value() > fee_of_weight(task.rate, weight_in(task, *coin))) kept.push_back(coin);
  }
  std::sort(kept.begin(), kept.end(), [by_script](const Candidate* a, const Candidate* b) {
    if (by_script && a->output.script_pubkey != b->output.script_pubkey) {
      return a->output.script_pubkey < b->output.script_pubkey;
    }
    return std::tie(b->output.value, a->outpoint) < std::tie(a->output.value, b->outpoint);
  });
  return kept;
}

void add_coin(CoinGroup& group, const Candidate& coin, const SelectionTask& task) {
  const std::int64_t weight = weight_in(task, coin);
  const chain::Amount fee = fee_of_weight(task.rate, weight);
  ++group.count;
  group.effective += coin.value() - (task.subtract_fee ? 0 : fee);
  group.weight += weight;
  group.fee += fee;
  group.long_term_fee += fee_of_weight(kLongTermRate, weight);
}

/// Whether a has less waste than b, or as much and more inputs: fewer coins are left to spend some day.
bool is_better(const Selection& a, const Selection& b) {
  return a.waste != b.waste ? a.waste < b.waste : a.coins > b.coins;
}

}  // namespace

CoinPool make_pool(std::span<const Candidate* const> coins, const SelectionTask& task, bool together) {
  CoinPool pool{.coins = worthwhile(coins, task, together), .groups = {}};
  for (std::size_t i = 0; i < pool.coins.size(); ++i) {
    const bool joins = together && i > 0 && pool.groups.back().count < kMaxGroup &&
                       pool.coins[i]->output.script_pubkey == pool.coins[i - 1]->output.script_pubkey;
    if (!joins) pool.groups.push_back({.first = i});
    add_coin(pool.groups.back(), *pool.coins[i], task);
  }
  std::sort(pool.groups.begin(), pool.groups.end(), [](const CoinGroup& a, const CoinGroup& b) {
    return std::tie(b.effective, a.weight, a.first) < std::tie(a.effective, b.weight, b.first);
  });
  return pool;
}

chain::Amount change_of(chain::Amount effective, const SelectionTask& task) {
  const chain::Amount change = effective - target_with_change(task, 0);
  return change >= task.change.min_viable ? change : 0;
}

chain::Amount waste_of(const CoinPool& pool, const Selection& selection, const SelectionTask& task) {
  chain::Amount waste = 0;
  for (const std::size_t place : selection.groups) {
    waste += pool.groups[place].fee - pool.groups[place].long_term_fee;
  }
  const bool has_change = change_of(selection.effective, task) > 0;
  return waste + (has_change ? task.change.total() : selection.effective - task.target);
}

Selection sum_up(const CoinPool& pool, std::vector<std::size_t> groups, Algorithm algorithm,
                 const SelectionTask& task) {
  Selection selection{.groups = std::move(groups), .algorithm = algorithm};
  for (const std::size_t place : selection.groups) {
    selection.effective += pool.groups[place].effective;
    selection.weight += pool.groups[place].weight;
    selection.coins += pool.groups[place].count;
  }
  selection.waste = waste_of(pool, selection, task);
  return selection;
}

std::optional<Selection> select_coins(const CoinPool& pool, const SelectionTask& task, util::Rng& rng) {
  std::optional<Selection> best;
  const auto offer = [&](std::optional<std::vector<std::size_t>> groups, Algorithm algorithm) {
    if (!groups) return;
    auto selection = sum_up(pool, std::move(*groups), algorithm, task);
    if (!best || is_better(selection, *best)) best = std::move(selection);
  };
  const auto draw = [&](chain::Amount target) {
    offer(random_draw(pool, target, task.max_weight, rng), Algorithm::RandomDraw);
  };
  offer(branch_and_bound(pool, task), Algorithm::BranchAndBound);
  if (task.rate.sat_per_kvb() > kGrindFactor * kLongTermRate.sat_per_kvb()) {
    offer(coin_grinder(pool, task), Algorithm::CoinGrinder);
  }
  draw(target_with_change(task, task.change_target));
  // Too little for good change: then for some, or for none.
  if (!best) draw(target_with_change(task, task.change.min_viable));
  if (!best) draw(task.target);
  return best;
}

}  // namespace spv::wallet::spend
