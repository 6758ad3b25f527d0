#include "wallet/spend/payment.h"

#include <algorithm>

#include "wallet/spend/funding.h"
#include "wallet/spend/input_weight.h"

namespace spv::wallet::spend {
namespace {

std::string sat_text(chain::Amount amount) { return std::to_string(amount) + " sat"; }

Checked check_recipient(const Recipient& recipient) {
  if (recipient.script.empty()) return refuse("no-recipient", "a recipient has no script");
  if (!recipient.amount) return {};
  if (*recipient.amount <= 0 || !chain::is_money(*recipient.amount)) {
    return refuse("amount-range", "an amount must be above 0 and at most 21 million BTC");
  }
  const chain::Amount least = dust_threshold(recipient.script);
  if (*recipient.amount < least) {
    return refuse("dust", "the amount of " + sat_text(*recipient.amount) +
                              " is dust, which nodes do not relay; the least for this address is " + sat_text(least));
  }
  return {};
}

Checked check_request(const PaymentRequest& request, const SpendContext& context) {
  if (request.recipients.empty()) return refuse("no-recipient", "there is no recipient");
  chain::Amount sum = 0;
  std::size_t takes_rest = 0;
  for (const Recipient& recipient : request.recipients) {
    if (auto checked = check_recipient(recipient); !checked) return checked;
    sum += recipient.amount.value_or(0);
    if (!chain::is_money(sum)) return refuse("amount-range", "the amounts are more than 21 million BTC together");
    if (!recipient.amount) ++takes_rest;
  }
  if (takes_rest > 1) return refuse("several-all", "only one recipient can get all that is left");
  return check_fee_rate(request.rate, context.floor, request.allowed);
}

/// Forged unconfirmed coins may claim anything.
Checked check_sum(const CoinRefs& coins) {
  chain::Amount sum = 0;
  for (const Candidate* coin : coins) {
    sum += coin->value();
    if (!chain::is_money(sum)) {
      return refuse("amount-range", "the coins are more than 21 million BTC together: unconfirmed ones must be forged");
    }
  }
  return {};
}

/// The lists to choose from, or the coins that the user named as the only one.
util::Expected<std::vector<CoinRefs>, PaymentError> coin_lists(const PaymentRequest& request,
                                                               const SpendContext& context) {
  std::vector<CoinRefs> lists;
  if (request.coins.empty()) {
    lists = eligible_coins(context.coins, request.allowed.unconfirmed);
  } else {
    auto named = named_coins(context.coins, request.coins, request.allowed.unconfirmed);
    if (!named) return util::Unexpected{named.error()};
    lists.push_back(std::move(*named));
  }
  for (const CoinRefs& coins : lists) {
    if (auto sum = check_sum(coins); !sum) return util::Unexpected{sum.error()};
  }
  return lists;
}

std::vector<chain::TxOutput> payments_of(const PaymentRequest& request) {
  std::vector<chain::TxOutput> payments;
  payments.reserve(request.recipients.size());
  for (const Recipient& recipient : request.recipients) {
    payments.push_back({.value = recipient.amount.value_or(0), .script_pubkey = recipient.script});
  }
  return payments;
}

const ChangeScript* change_for(const PaymentRequest& request, const SpendContext& context) {
  if (request.change) return &*request.change;
  std::vector<util::Bytes> scripts;
  scripts.reserve(request.recipients.size());
  for (const Recipient& recipient : request.recipients) scripts.push_back(recipient.script);
  return choose_change(context.change, scripts);
}

/// Everything goes, but for coins that cost more than they bring; those that the user named all go.
util::Expected<Funded, PaymentError> fund_all(const PaymentRequest& request, const Plan& plan, CoinRefs coins) {
  const CoinRefs available = coins;
  if (request.coins.empty()) {
    std::erase_if(
        coins, [&](const Candidate* coin) { return coin->value() <= fee_of_weight(plan.rate, coin->weight->weight); });
  }
  const auto rest = std::find_if(request.recipients.begin(), request.recipients.end(),
                                 [](const Recipient& recipient) { return !recipient.amount; });
  const auto place = static_cast<std::size_t>(rest - request.recipients.begin());
  Plan with_rest = plan;
  with_rest.subtract_fee = false;
  // First with the least that it may be: if that can be paid, it gets what is left after the same fee.
  chain::TxOutput& output = with_rest.payments[place];
  output.value = std::max<chain::Amount>(dust_threshold(output.script_pubkey), 1);
  auto funded = settle(with_rest, coins);
  if (!funded) return util::Unexpected{insufficient_funds(with_rest, available)};
  const chain::Amount fee = plan.rate.fee(virtual_bytes(funded->weight));
  funded->payments[place].value += funded->fee - fee;
  funded->fee = fee;
  return *funded;
}

util::Expected<Funded, PaymentError> fund_request(const PaymentRequest& request, const ChangeScript* change,
                                                  const SpendContext& context) {
  auto lists = coin_lists(request, context);
  if (!lists) return util::Unexpected{lists.error()};
  Plan plan{.fixed = {},
            .payments = payments_of(request),
            .change = nullptr,
            .rate = request.rate,
            .extra_fee = 0,
            .subtract_fee = request.subtract_fee};
  const bool all = std::any_of(request.recipients.begin(), request.recipients.end(),
                               [](const Recipient& recipient) { return !recipient.amount; });
  if (all) return fund_all(request, plan, std::move(lists->back()));
  if (change == nullptr) {
    return refuse("no-change-script", "the wallet has no address for the change; name one with --change");
  }
  plan.change = change;
  if (request.coins.empty()) return fund(plan, *lists, context);
  plan.fixed = std::move(lists->front());
  return fund(plan, {}, context);
}

/// Why coins that the balance shows were not taken.
PaymentError with_reasons(PaymentError error, const PaymentRequest& request, const SpendContext& context) {
  if (error.code != "insufficient-funds") return error;
  error.message += request.coins.empty() ? held_back(context.coins, request.allowed.unconfirmed)
                                         : "; only the coins named with --coin are spent";
  return error;
}

/// Of a fee that the recipients pay.
Checked check_subtracted(const PaymentRequest& request, const Funded& funded) {
  if (!request.subtract_fee) return {};
  for (const chain::TxOutput& payment : funded.payments) {
    if (payment.value < std::max<chain::Amount>(dust_threshold(payment.script_pubkey), 1)) {
      return refuse("dust", "less than dust is left for a recipient once the fee of " + sat_text(funded.fee) +
                                " is subtracted; send more, or lower the fee rate");
    }
  }
  return {};
}

Draft lay_out(Funded& funded, const ChangeScript* change, const SpendContext& context) {
  util::Rng rng = rng_for(context, funded.inputs, "layout");
  std::sort(funded.inputs.begin(), funded.inputs.end(),
            [](const Candidate* a, const Candidate* b) { return a->outpoint < b->outpoint; });
  for (std::size_t i = funded.inputs.size(); i > 1; --i) std::swap(funded.inputs[i - 1], funded.inputs[rng.below(i)]);
  std::vector<DraftOutput> outputs;
  outputs.reserve(funded.payments.size() + 1);
  for (const chain::TxOutput& payment : funded.payments) outputs.push_back(payment_output(payment, context));
  const auto place = rng.below(outputs.size() + 1);
  const std::uint32_t lock_time = choose_lock_time(context.tip, context.now, rng);
  if (funded.change > 0) {
    outputs.insert(outputs.begin() + static_cast<std::ptrdiff_t>(place),
                   change_output(*change, funded.change, context));
  }
  return make_draft(funded, std::move(outputs), lock_time, context);
}

}  // namespace

util::Expected<Draft, PaymentError> make_payment(const PaymentRequest& request, const SpendContext& context) {
  if (auto checked = check_request(request, context); !checked) return util::Unexpected{checked.error()};
  const ChangeScript* change = change_for(request, context);
  auto funded = fund_request(request, change, context);
  if (!funded) return util::Unexpected{with_reasons(funded.error(), request, context)};
  if (auto left = check_subtracted(request, *funded); !left) return util::Unexpected{left.error()};
  Draft draft = lay_out(*funded, change, context);
  if (auto checked = check_draft(draft, *funded, sum_of(funded->payments), request.allowed); !checked) {
    return util::Unexpected{checked.error()};
  }
  return draft;
}

}  // namespace spv::wallet::spend
