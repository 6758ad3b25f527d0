// Coin selection: which coins pay a target. Bitcoin Core's way: branch and bound for a solution without change, the
// lightest inputs (CoinGrinder) when fees are high, a single random draw; the one with the least waste wins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "chain/types.h"
#include "util/rng.h"
#include "wallet/spend/candidate.h"
#include "wallet/spend/change_policy.h"
#include "wallet/spend/fee_rate.h"

namespace spv::wallet::spend {

/// Coins that are spent together, or one alone.
struct CoinGroup {
  std::size_t first = 0;  // in CoinPool::coins
  std::size_t count = 0;
  chain::Amount effective = 0;  // what it brings: its value, less the fee of its inputs where the payer pays that
  std::int64_t weight = 0;
  chain::Amount fee = 0;            // of its inputs, now
  chain::Amount long_term_fee = 0;  // of the same, some day
};

/// What a search chooses from: groups that bring something, the largest first.
struct CoinPool {
  CoinRefs coins;
  std::vector<CoinGroup> groups;
};

/// What is to be paid and how.
struct SelectionTask {
  chain::Amount target = 0;  // the payments, and the fee of all but the inputs and the change
  FeeRate rate;
  ChangeCost change;
  chain::Amount change_target = 0;  // change to aim for
  std::int64_t max_weight = 0;      // of the inputs
  bool subtract_fee = false;        // the recipients pay all fees
  bool segwit = false;              // some input has a witness, so that those without weigh 1 more
};

/// Leaves out coins that cost more than they bring. `together`: coins of one script are one group (of at most 100).
CoinPool make_pool(std::span<const Candidate* const> coins, const SelectionTask& task, bool together);

enum class Algorithm { BranchAndBound, CoinGrinder, RandomDraw, AllCoins };

struct Selection {
  std::vector<std::size_t> groups;  // places in the pool
  Algorithm algorithm = Algorithm::AllCoins;
  chain::Amount effective = 0;
  std::int64_t weight = 0;
  std::size_t coins = 0;
  chain::Amount waste = 0;
};

/// The sums of some groups of a pool.
Selection sum_up(const CoinPool& pool, std::vector<std::size_t> groups, Algorithm algorithm, const SelectionTask& task);
/// Fees of the inputs over those at the long-term rate, and what change costs, or without change what is paid too much.
chain::Amount waste_of(const CoinPool& pool, const Selection& selection, const SelectionTask& task);
/// What comes back, or zero if that is not worth an output.
chain::Amount change_of(chain::Amount effective, const SelectionTask& task);

/// How many steps a search may take.
inline constexpr std::size_t kMaxTries = 100'000;
/// Above so many times the long-term rate the lightest inputs are searched for, too.
inline constexpr std::int64_t kGrindFactor = 3;

// The searches. Places in the pool, or nothing where they find nothing.
/// The least waste among all sets that need no change.
std::optional<std::vector<std::size_t>> branch_and_bound(const CoinPool& pool, const SelectionTask& task);
/// The least weight among all sets that reach the target with the change to aim for.
std::optional<std::vector<std::size_t>> coin_grinder(const CoinPool& pool, const SelectionTask& task);
/// Random groups until `target` is reached; the least ones go again where they weigh too much.
std::optional<std::vector<std::size_t>> random_draw(const CoinPool& pool, chain::Amount target, std::int64_t max_weight,
                                                    util::Rng& rng);

/// The best of them; nothing if the pool cannot pay the target within the weight.
std::optional<Selection> select_coins(const CoinPool& pool, const SelectionTask& task, util::Rng& rng);

}  // namespace spv::wallet::spend
