#include "wallet/spend/funding.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "util/hash.h"
#include "wallet/spend/coin_selection.h"

namespace spv::wallet::spend {
namespace {

/// Every input may be replaced (BIP125), and lock times count.
constexpr std::uint32_t kSequence = 0xFFFF'FFFD;

WeightCount count_weight(const CoinRefs& inputs, const std::vector<chain::TxOutput>& payments) {
  WeightCount count;
  for (const Candidate* coin : inputs) count.add_input(*coin->weight);
  for (const chain::TxOutput& payment : payments) count.add_output(payment.script_pubkey);
  return count;
}

std::int64_t weight_with_change(WeightCount count, const ChangeScript& change) {
  count.add_output(change.script);
  return count.weight();
}

/// Takes the fee from the recipients: equal parts, and the rest from the first.
void subtract(std::vector<chain::TxOutput>& payments, chain::Amount fee) {
  const auto parts = static_cast<chain::Amount>(payments.size());
  for (chain::TxOutput& payment : payments) payment.value -= fee / parts;
  payments.front().value -= fee % parts;
}

/// The recipients pay: change is what the coins have over the amounts.
std::optional<Funded> settle_subtracted(const Plan& plan, Funded funded, const WeightCount& count) {
  const chain::Amount left = sum_of(funded.inputs) - sum_of(plan.payments);
  if (left < 0) return std::nullopt;
  if (plan.change != nullptr && left >= change_cost(*plan.change, plan.rate).min_viable) {
    funded.weight = weight_with_change(count, *plan.change);
    funded.change = left;
    funded.fee = plan.rate.fee(virtual_bytes(funded.weight)) + plan.extra_fee;
    subtract(funded.payments, funded.fee);
  } else {
    funded.weight = count.weight();
    funded.fee = std::max(plan.rate.fee(count.vsize()) + plan.extra_fee, left);
    subtract(funded.payments, funded.fee - left);
  }
  return funded;
}

bool has_segwit(const CoinRefs& coins) {
  return std::any_of(coins.begin(), coins.end(), [](const Candidate* coin) { return coin->weight->segwit; });
}

/// `slack` is for counts that need more bytes when there are many inputs.
SelectionTask make_task(const Plan& plan, const CoinRefs& coins, std::int64_t slack, util::Rng& rng) {
  SelectionTask task;
  task.rate = plan.rate;
  task.subtract_fee = plan.subtract_fee;
  task.segwit = has_segwit(coins) || has_segwit(plan.fixed);
  task.change = change_cost(*plan.change, plan.rate);
  WeightCount count = count_weight(plan.fixed, plan.payments);
  if (task.segwit) count.expect_segwit();
  // Three units more: the weight of all is rounded up to a virtual byte.
  const std::int64_t base = count.weight() + 3 + slack;
  task.max_weight = kMaxStandardWeight - base - task.change.output_weight;
  const chain::Amount payments = sum_of(plan.payments);
  const chain::Amount fee = plan.subtract_fee ? 0 : fee_of_weight(plan.rate, base) + plan.extra_fee;
  task.target = payments + fee - sum_of(plan.fixed);
  task.change_target = change_target(payments, rng);
  return task;
}

/// One choice, settled. Nothing where it fails, or where the coins are not worth grouping.
std::optional<Funded> try_selection(const Plan& plan, const CoinRefs& coins, std::int64_t slack, bool together,
                                    util::Rng rng) {
  const SelectionTask task = make_task(plan, coins, slack, rng);
  const CoinPool pool = make_pool(coins, task, together);
  if (together && pool.groups.size() == pool.coins.size()) return std::nullopt;
  const auto selection = select_coins(pool, task, rng);
  if (!selection) return std::nullopt;
  CoinRefs inputs = plan.fixed;
  for (const std::size_t place : selection->groups) {
    const CoinGroup& group = pool.groups[place];
    for (std::size_t i = 0; i < group.count; ++i) inputs.push_back(pool.coins[group.first + i]);
  }
  auto funded = settle(plan, std::move(inputs));
  if (funded && funded->weight > kMaxStandardWeight) return std::nullopt;
  return funded;
}

std::optional<Funded> choose(const Plan& plan, const CoinRefs& coins, const util::Rng& rng) {
  for (const std::int64_t slack : {0, 16, 64}) {
    auto apart = try_selection(plan, coins, slack, false, rng);
    auto together = try_selection(plan, coins, slack, true, rng);
    // One script should not be spent from twice, as long as that costs nothing.
    if (together && (!apart || together->fee <= apart->fee)) return together;
    if (apart) return apart;
  }
  return std::nullopt;
}

/// All that bring something: what rounding in the search may have missed.
CoinRefs all_worthwhile(const Plan& plan, const CoinRefs& coins) {
  CoinRefs all = plan.fixed;
  for (const Candidate* coin : coins) {
    if (coin->value() > fee_of_weight(plan.rate, coin->weight->weight)) all.push_back(coin);
  }
  return all;
}

PaymentError too_large() {
  return {"too-large", "the payment needs so many coins that the transaction would weigh more than the " +
                           std::to_string(kMaxStandardWeight) +
                           " that nodes relay; send a smaller amount, in several parts"};
}

}  // namespace

chain::Amount sum_of(const CoinRefs& coins) {
  return std::accumulate(coins.begin(), coins.end(), chain::Amount{0},
                         [](chain::Amount sum, const Candidate* coin) { return sum + coin->value(); });
}

chain::Amount sum_of(const std::vector<chain::TxOutput>& outputs) {
  return std::accumulate(outputs.begin(), outputs.end(), chain::Amount{0},
                         [](chain::Amount sum, const chain::TxOutput& output) { return sum + output.value; });
}

std::optional<Funded> settle(const Plan& plan, CoinRefs inputs) {
  const WeightCount count = count_weight(inputs, plan.payments);
  Funded funded{.inputs = std::move(inputs), .payments = plan.payments};
  if (plan.subtract_fee) return settle_subtracted(plan, std::move(funded), count);
  const chain::Amount left = sum_of(funded.inputs) - sum_of(plan.payments);
  if (plan.change != nullptr) {
    funded.weight = weight_with_change(count, *plan.change);
    funded.fee = plan.rate.fee(virtual_bytes(funded.weight)) + plan.extra_fee;
    funded.change = left - funded.fee;
    if (funded.change >= change_cost(*plan.change, plan.rate).min_viable) return funded;
  }
  funded.weight = count.weight();
  funded.fee = left;
  funded.change = 0;
  if (left < plan.rate.fee(count.vsize()) + plan.extra_fee) return std::nullopt;
  return funded;
}

PaymentError insufficient_funds(const Plan& plan, const CoinRefs& coins) {
  const CoinRefs all = all_worthwhile(plan, coins);
  const chain::Amount have = sum_of(plan.fixed) + sum_of(coins);
  const chain::Amount worth = sum_of(all);
  const chain::Amount fee = plan.rate.fee(count_weight(all, plan.payments).vsize()) + plan.extra_fee;
  const chain::Amount need = sum_of(plan.payments) + (plan.subtract_fee ? 0 : fee);
  std::string message =
      "not enough money: have " + std::to_string(have) + " sat, need " + std::to_string(need) + " sat";
  if (!plan.subtract_fee) message += " (" + std::to_string(fee) + " sat of them for the fee)";
  message += ", missing " + std::to_string(std::max<chain::Amount>(need - worth, 1)) + " sat";
  if (worth < have) {
    message +=
        "; coins of " + std::to_string(have - worth) + " sat cost more than they bring at " + to_string(plan.rate);
  }
  return {"insufficient-funds", message};
}

util::Expected<Funded, PaymentError> fund(const Plan& plan, const std::vector<CoinRefs>& lists,
                                          const SpendContext& context) {
  if (!plan.fixed.empty()) {
    if (auto funded = settle(plan, plan.fixed)) return *funded;
  }
  for (const CoinRefs& coins : lists) {
    if (coins.empty()) continue;
    if (auto funded = choose(plan, coins, rng_for(context, coins, "coins"))) return *funded;
    auto all = settle(plan, all_worthwhile(plan, coins));
    if (all && all->weight <= kMaxStandardWeight) return *all;
    if (all && &coins == &lists.back()) return util::Unexpected{too_large()};
  }
  return util::Unexpected{insufficient_funds(plan, lists.empty() ? CoinRefs{} : lists.back())};
}

util::Rng rng_for(const SpendContext& context, const CoinRefs& coins, std::string_view purpose) {
  std::vector<chain::OutPoint> outpoints;
  outpoints.reserve(coins.size());
  for (const Candidate* coin : coins) outpoints.push_back(coin->outpoint);
  std::sort(outpoints.begin(), outpoints.end());
  util::Sha256 hash;
  hash.write(context.secret).write(util::sha256(util::as_bytes(purpose)).view());
  for (const chain::OutPoint& outpoint : outpoints) hash.write(outpoint.bytes());
  return util::Rng(hash.finish().bytes);
}

DraftOutput change_output(const ChangeScript& change, chain::Amount value, const SpendContext& context) {
  DraftOutput output;
  output.output = {.value = value, .script_pubkey = change.script};
  output.change = true;
  output.key = change.key;
  if (change.key && context.solve) output.solution = context.solve(*change.key);
  return output;
}

DraftOutput payment_output(const chain::TxOutput& payment, const SpendContext& context) {
  DraftOutput output;
  output.output = payment;
  if (context.key_of) output.key = context.key_of(payment.script_pubkey);
  if (output.key && context.solve) output.solution = context.solve(*output.key);
  return output;
}

Draft make_draft(const Funded& funded, std::vector<DraftOutput> outputs, std::uint32_t lock_time,
                 const SpendContext& context) {
  Draft draft;
  draft.tx.version = 2;
  draft.tx.lock_time = lock_time;
  draft.fee = funded.fee;
  draft.weight = funded.weight;
  for (const Candidate* coin : funded.inputs) {
    draft.tx.inputs.push_back({.previous = coin->outpoint, .script_sig = {}, .sequence = kSequence, .witness = {}});
    DraftInput input;
    input.outpoint = coin->outpoint;
    input.spent = coin->output;
    input.key = coin->key;
    if (coin->key && context.solve) input.solution = context.solve(*coin->key);
    if (context.previous) input.previous = context.previous(coin->outpoint.txid);
    draft.inputs.push_back(std::move(input));
  }
  for (const DraftOutput& output : outputs) draft.tx.outputs.push_back(output.output);
  draft.outputs = std::move(outputs);
  return draft;
}

Checked check_draft(const Draft& draft, const Funded& funded, chain::Amount amount, const Allowed& allowed) {
  if (auto standard = check_standard(draft); !standard) return standard;
  if (auto fee = check_fee(draft.fee, amount, allowed); !fee) return fee;
  std::set<chain::Txid> made_by;
  std::uint64_t ancestors = 0;
  std::int64_t vsize = draft.vsize();
  for (const Candidate* coin : funded.inputs) {
    if (coin->ancestors == 0 || !made_by.insert(coin->outpoint.txid).second) continue;
    ancestors += coin->ancestors;
    vsize += coin->ancestor_vsize;
  }
  if (ancestors > kMaxAncestors || vsize > kMaxPackageVsize) {
    return refuse("chain-too-long", "it would spend from " + std::to_string(ancestors) +
                                        " unconfirmed transactions in a row, more than nodes relay; wait for a block");
  }
  return {};
}

}  // namespace spv::wallet::spend
