#include "wallet/spend/replacement.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "wallet/spend/funding.h"
#include "wallet/virtual_size.h"

namespace spv::wallet::spend {
namespace {

CoinRefs refs_to(const std::vector<Candidate>& coins) {
  CoinRefs refs;
  for (const Candidate& coin : coins) refs.push_back(&coin);
  return refs;
}

chain::Amount fee_of(const Original& original) {
  return sum_of(refs_to(original.inputs)) - sum_of(original.tx.outputs);
}

std::int64_t vsize_of(const Original& original) {
  if (const auto known = virtual_size(original.tx)) return static_cast<std::int64_t>(*known);
  WeightCount count;
  for (const Candidate& input : original.inputs) count.add_input(*input.weight);
  for (const chain::TxOutput& output : original.tx.outputs) count.add_output(output.script_pubkey);
  return count.vsize();
}

/// Whether we can sign all of it again, and may.
Checked check_original(const Original& original) {
  const std::string name = "the transaction " + util::to_string(original.tx.txid());
  if (original.confirmed) return refuse("already-confirmed", name + " is confirmed: nothing can replace it");
  const auto ours = [](const Candidate& input) { return input.weight.has_value(); };
  if (original.inputs.empty() || original.inputs.size() != original.tx.inputs.size() ||
      !std::all_of(original.inputs.begin(), original.inputs.end(), ours)) {
    return refuse("not-ours", name +
                                  " spends coins that are not ours, so we cannot replace it; a child can pay for it "
                                  "(cpfp) if it pays us");
  }
  for (std::size_t i = 0; i < original.inputs.size(); ++i) {
    if (original.inputs[i].outpoint != original.tx.inputs[i].previous) {
      return refuse("not-ours", name + " does not spend the coins that the wallet thinks it does");
    }
  }
  if (fee_of(original) < 0) return refuse("not-ours", name + " pays more than its coins have");
  if (original.descendants.size() + 1 > kMaxReplaced) {
    return refuse("too-many-replaced", "with " + name + " " + std::to_string(original.descendants.size()) +
                                           " later ones would fall; nodes accept at most " +
                                           std::to_string(kMaxReplaced) + " in all: wait for a block");
  }
  return {};
}

/// What nodes ask of a replacement: more than all that falls, its own relay, and a better rate.
Checked check_step(const Original& original, const Draft& draft) {
  chain::Amount replaced = fee_of(original);
  for (const Descendant& each : original.descendants) replaced += std::max<chain::Amount>(each.fee, 0);
  const std::int64_t vsize = draft.vsize();
  const std::int64_t old_vsize = vsize_of(original);
  const chain::Amount by_step = replaced + kRelayStep.fee(vsize);
  const chain::Amount by_rate = fee_of(original) * vsize / old_vsize + 1;
  const chain::Amount least = std::max(by_step, by_rate);
  if (draft.fee >= least) return {};
  const FeeRate rate((least * 1'000 + vsize - 1) / vsize);
  return refuse("fee-too-low", "the replacement would pay " + std::to_string(draft.fee) + " sat; nodes ask for " +
                                   std::to_string(least) + " sat, since what it replaces pays " +
                                   std::to_string(replaced) + " sat; use a fee rate of at least " + to_string(rate));
}

util::Expected<Replacement, PaymentError> finish(const Original& original, const ReplaceRequest& request, Draft draft,
                                                 const Funded& funded, chain::Amount amount) {
  if (auto step = check_step(original, draft); !step) return util::Unexpected{step.error()};
  if (auto checked = check_draft(draft, funded, amount, request.allowed); !checked) {
    return util::Unexpected{checked.error()};
  }
  Replacement replacement{.draft = std::move(draft), .also_replaces = {}};
  for (const Descendant& each : original.descendants) replacement.also_replaces.push_back(each.txid);
  return replacement;
}

/// The output that pays for a bump: the largest change; where all is ours, the largest of all.
std::optional<std::size_t> payer_of(const Original& original) {
  const auto& outputs = original.outputs;
  const bool all_ours =
      std::all_of(outputs.begin(), outputs.end(), [](const OriginalOutput& output) { return output.key.has_value(); });
  const bool has_change =
      std::any_of(outputs.begin(), outputs.end(), [](const OriginalOutput& output) { return output.change; });
  std::optional<std::size_t> payer;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (has_change ? !outputs[i].change : !all_ours) continue;
    if (!payer || original.tx.outputs[i].value > original.tx.outputs[*payer].value) payer = i;
  }
  return payer;
}

/// Confirmed coins that may be added.
CoinRefs confirmed_coins(const SpendContext& context, const std::vector<Candidate>& without) {
  std::set<chain::OutPoint> taken;
  for (const Candidate& coin : without) taken.insert(coin.outpoint);
  CoinRefs coins = eligible_coins(context.coins, false).front();
  std::erase_if(coins, [&](const Candidate* coin) { return taken.contains(coin->outpoint); });
  return coins;
}

/// Those that were added go to random places among the first ones.
void mix_in(CoinRefs& inputs, std::size_t first, util::Rng& rng) {
  for (std::size_t i = first; i < inputs.size(); ++i) {
    const auto place = static_cast<std::ptrdiff_t>(rng.below(i + 1));
    const auto at = static_cast<std::ptrdiff_t>(i);
    std::rotate(inputs.begin() + place, inputs.begin() + at, inputs.begin() + at + 1);
  }
}

/// The outputs stand as before; change that there was not is put anywhere.
std::vector<DraftOutput> bumped_outputs(const Original& original, std::optional<std::size_t> payer,
                                        const Funded& funded, const ChangeScript& change, const SpendContext& context,
                                        util::Rng& rng) {
  std::vector<DraftOutput> outputs;
  const auto place = rng.below(original.tx.outputs.size() + 1);
  for (std::size_t i = 0; i < original.tx.outputs.size(); ++i) {
    if (i != payer) outputs.push_back(payment_output(original.tx.outputs[i], context));
    if (i == payer && funded.change > 0) outputs.push_back(change_output(change, funded.change, context));
  }
  if (!payer && funded.change > 0) {
    outputs.insert(outputs.begin() + static_cast<std::ptrdiff_t>(place), change_output(change, funded.change, context));
  }
  return outputs;
}

std::vector<util::Bytes> scripts_of(const CoinRefs& coins) {
  std::vector<util::Bytes> scripts;
  for (const Candidate* coin : coins) scripts.push_back(coin->output.script_pubkey);
  return scripts;
}

PaymentError no_change_script() {
  return {"no-change-script", "the wallet has no address for what is left; it cannot take it back"};
}

/// One output of ours that takes all.
Draft back_to_us(Funded& funded, const ChangeScript& change, const SpendContext& context) {
  util::Rng rng = rng_for(context, funded.inputs, "layout");
  const std::uint32_t lock_time = choose_lock_time(context.tip, context.now, rng);
  return make_draft(funded, {change_output(change, funded.change, context)}, lock_time, context);
}

/// Our coins of the parent, without those that bring nothing.
CoinRefs coins_of_parent(const Parent& parent, FeeRate rate, const SpendContext& context) {
  CoinRefs coins;
  for (const Candidate& coin : context.coins) {
    if (coin.outpoint.txid != parent.txid || coin.reserved || coin.frozen || !coin.weight) continue;
    if (coin.value() > 0 && chain::is_money(coin.value())) coins.push_back(&coin);
  }
  const auto is_worthless = [rate](const Candidate* coin) {
    return coin->value() <= fee_of_weight(rate, coin->weight->weight);
  };
  if (!std::all_of(coins.begin(), coins.end(), is_worthless)) std::erase_if(coins, is_worthless);
  return coins;
}

/// All to one output of ours; the largest confirmed coins are added until something is left for it.
std::optional<Funded> fund_child(const Plan& plan, const SpendContext& context) {
  CoinRefs more = eligible_coins(context.coins, false).front();
  std::sort(more.begin(), more.end(), [](const Candidate* a, const Candidate* b) {
    return std::tuple(-a->value(), a->outpoint) < std::tuple(-b->value(), b->outpoint);
  });
  constexpr std::size_t kMaxAdded = 10;
  more.resize(std::min(more.size(), kMaxAdded));
  CoinRefs inputs = plan.fixed;
  for (std::size_t i = 0;; ++i) {
    auto funded = settle(plan, inputs);
    if (funded && funded->change > 0) return funded;
    if (i == more.size()) return std::nullopt;
    inputs.push_back(more[i]);
  }
}

Checked check_parent(const Parent& parent, const CoinRefs& coins, const ReplaceRequest& request,
                     chain::Amount parent_fee) {
  const std::string name = "the transaction " + util::to_string(parent.txid);
  if (parent.confirmed) return refuse("already-confirmed", name + " is confirmed: it needs no more fee");
  if (coins.empty()) {
    return refuse("nothing-to-bump", name + " has no unspent output of ours that a child could spend");
  }
  if (parent.vsize <= 0 || parent.vsize > kMaxPackageVsize) {
    return refuse("chain-too-long", name + " is too large for a child: wait for a block");
  }
  if (parent_fee >= request.rate.fee(parent.vsize)) {
    return refuse("nothing-to-bump", name + " pays " + std::string(parent.fee ? "" : "at least ") +
                                         std::to_string(parent_fee) + " sat for " + std::to_string(parent.vsize) +
                                         " vB already, which is not below " + to_string(request.rate));
  }
  return {};
}

}  // namespace

util::Expected<Replacement, PaymentError> bump(const Original& original, const ReplaceRequest& request,
                                               const SpendContext& context) {
  if (auto checked = check_original(original); !checked) return util::Unexpected{checked.error()};
  if (auto rate = check_fee_rate(request.rate, context.floor, request.allowed); !rate) {
    return util::Unexpected{rate.error()};
  }
  const auto payer = payer_of(original);
  std::vector<util::Bytes> scripts;
  Plan plan{.fixed = refs_to(original.inputs), .payments = {}, .change = nullptr, .rate = request.rate};
  for (std::size_t i = 0; i < original.tx.outputs.size(); ++i) {
    if (i == payer) continue;
    plan.payments.push_back(original.tx.outputs[i]);
    scripts.push_back(original.tx.outputs[i].script_pubkey);
  }
  const ChangeScript* offered = choose_change(context.change, scripts);
  if (!payer && offered == nullptr) return util::Unexpected{no_change_script()};
  const ChangeScript change = payer ? ChangeScript{.script = original.tx.outputs[*payer].script_pubkey,
                                                   .key = original.outputs[*payer].key,
                                                   .weight = original.outputs[*payer].weight}
                                    : *offered;
  plan.change = &change;
  auto funded = fund(plan, {confirmed_coins(context, original.inputs)}, context);
  if (!funded) return util::Unexpected{funded.error()};
  util::Rng rng = rng_for(context, funded->inputs, "layout");
  mix_in(funded->inputs, original.inputs.size(), rng);
  auto outputs = bumped_outputs(original, payer, *funded, change, context, rng);
  const std::uint32_t lock_time = choose_lock_time(context.tip, context.now, rng);
  if (outputs.empty()) return util::Unexpected{insufficient_funds(plan, {})};
  Draft draft = make_draft(*funded, std::move(outputs), lock_time, context);
  const chain::Amount amount = plan.payments.empty() ? sum_of(plan.fixed) : sum_of(plan.payments);
  return finish(original, request, std::move(draft), *funded, amount);
}

util::Expected<Replacement, PaymentError> cancel(const Original& original, const ReplaceRequest& request,
                                                 const SpendContext& context) {
  if (auto checked = check_original(original); !checked) return util::Unexpected{checked.error()};
  if (auto rate = check_fee_rate(request.rate, context.floor, request.allowed); !rate) {
    return util::Unexpected{rate.error()};
  }
  const CoinRefs inputs = refs_to(original.inputs);
  const ChangeScript* change = choose_change(context.change, scripts_of(inputs));
  if (change == nullptr) return util::Unexpected{no_change_script()};
  const Plan plan{.fixed = inputs, .payments = {}, .change = change, .rate = request.rate};
  auto funded = settle(plan, inputs);
  if (!funded || funded->change == 0) {
    return refuse("insufficient-funds", "the coins of the transaction have " + std::to_string(sum_of(inputs)) +
                                            " sat: at " + to_string(request.rate) +
                                            " the fee leaves nothing that is worth taking back");
  }
  Draft draft = back_to_us(*funded, *change, context);
  return finish(original, request, std::move(draft), *funded, sum_of(inputs));
}

util::Expected<Child, PaymentError> child_pays_for_parent(const Parent& parent, const ReplaceRequest& request,
                                                          const SpendContext& context) {
  if (auto rate = check_fee_rate(request.rate, context.floor, request.allowed); !rate) {
    return util::Unexpected{rate.error()};
  }
  const chain::Amount parent_fee =
      parent.fee.value_or(context.floor.value_or(FeeRate{}).fee(std::max<std::int64_t>(parent.vsize, 0)));
  const CoinRefs coins = coins_of_parent(parent, request.rate, context);
  if (auto checked = check_parent(parent, coins, request, parent_fee); !checked) {
    return util::Unexpected{checked.error()};
  }
  const ChangeScript* change = choose_change(context.change, scripts_of(coins));
  if (change == nullptr) return util::Unexpected{no_change_script()};
  const Plan plan{.fixed = coins,
                  .payments = {},
                  .change = change,
                  .rate = request.rate,
                  .extra_fee = request.rate.fee(parent.vsize) - parent_fee};
  auto funded = fund_child(plan, context);
  if (!funded) return util::Unexpected{insufficient_funds(plan, eligible_coins(context.coins, false).front())};
  Child child{.draft = back_to_us(*funded, *change, context), .parent_fee_known = parent.fee.has_value()};
  if (auto checked = check_draft(child.draft, *funded, sum_of(funded->inputs), request.allowed); !checked) {
    return util::Unexpected{checked.error()};
  }
  child.package_fee = parent_fee + child.draft.fee;
  child.package_vsize = parent.vsize + child.draft.vsize();
  return child;
}

std::int64_t estimated_vsize(const chain::Transaction& tx) {
  if (const auto known = virtual_size(tx)) return static_cast<std::int64_t>(*known);
  // None has a witness here. One signature and one key, with their number and lengths.
  constexpr std::int64_t kUsualWitness = 1 + 1 + 72 + 1 + 33;
  std::int64_t weight = 4 * static_cast<std::int64_t>(tx.serialized_size(chain::Witness::Strip)) + 2;
  for (const chain::TxInput& input : tx.inputs) weight += lacks_witness(input) ? kUsualWitness : 1;
  return virtual_bytes(weight);
}

}  // namespace spv::wallet::spend
