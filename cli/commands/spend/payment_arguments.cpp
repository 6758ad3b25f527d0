#include "cli/commands/spend/payment_arguments.h"

#include <algorithm>

#include "cli/error.h"
#include "cli/options/amount.h"
#include "report/label_text.h"
#include "util/number.h"
#include "wallet/address.h"
#include "wallet/label.h"
#include "wallet/payment_uri.h"

namespace spv::cli {
namespace {

using wallet::spend::FeeRate;
using wallet::spend::Recipient;

util::Bytes script_of(const std::string& address, const chain::NetworkParams& params) {
  auto script = wallet::script_of_address(address, params);
  if (!script) throw UsageError("'" + address + "': " + script.error().message);
  return std::move(*script);
}

Recipient recipient_of(const std::string& address, const std::string& amount, const chain::NetworkParams& params) {
  Recipient recipient{.script = script_of(address, params), .amount = std::nullopt};
  if (amount == "all") return recipient;
  recipient.amount = parse_amount(amount);
  if (!recipient.amount || *recipient.amount == 0) {
    throw UsageError("invalid amount '" + amount + "'; use BTC with at most 8 decimals (0.001), 123sat or all");
  }
  return recipient;
}

PaymentOrder order_of_uri(const std::string& text, const chain::NetworkParams& params) {
  const auto uri = wallet::parse_payment_uri(text);
  if (!uri) throw UsageError("invalid bitcoin: URI: " + uri.error().message);
  if (!uri->amount || *uri->amount == 0) {
    throw UsageError("the URI has no amount; use spv send " + uri->address + " AMOUNT");
  }
  PaymentOrder order;
  order.request.recipients = {{.script = script_of(uri->address, params), .amount = uri->amount}};
  const std::string& name = uri->label.empty() ? uri->message : uri->label;
  if (!name.empty()) order.label = report::to_label(name);
  return order;
}

PaymentOrder order_of_pairs(const std::vector<std::string>& words, const chain::NetworkParams& params) {
  if (words.empty() || words.size() % 2 != 0) throw UsageError("each ADDRESS needs an AMOUNT (see spv send --help)");
  PaymentOrder order;
  for (std::size_t i = 0; i < words.size(); i += 2) {
    order.request.recipients.push_back(recipient_of(words[i], words[i + 1], params));
  }
  const auto takes_all = [](const Recipient& each) { return !each.amount; };
  if (std::ranges::count_if(order.request.recipients, takes_all) > 1) {
    throw UsageError("only one recipient can take all");
  }
  return order;
}

wallet::spend::ChangeScript change_to(const std::string& address, const wallet::Wallet& wallet,
                                      const chain::NetworkParams& params) {
  wallet::spend::ChangeScript change{.script = script_of(address, params)};
  change.key = wallet.key_of(change.script);
  change.weight = wallet::spend::input_weight_of_script(change.script);
  return change;
}

}  // namespace

std::optional<FeeRate> parse_fee_rate(std::string_view text) {
  constexpr std::size_t kDecimals = 3;
  const auto point = text.find('.');
  const auto whole = text.substr(0, point);
  std::string fraction(point == std::string_view::npos ? "" : text.substr(point + 1));
  const bool ends_in_point = point != std::string_view::npos && fraction.empty();
  if (whole.empty() || whole.size() > 7 || ends_in_point || fraction.size() > kDecimals) return std::nullopt;
  fraction.resize(kDecimals, '0');
  const std::string digits = std::string(whole) + fraction;
  if (digits.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  const auto rate = util::parse_number<std::int64_t>(digits);
  if (!rate || *rate == 0) return std::nullopt;
  return FeeRate(*rate);
}

std::optional<FeeRate> fee_rate_of(const SpendOptions& options) {
  if (!options.fee_rate) return std::nullopt;
  const auto rate = parse_fee_rate(*options.fee_rate);
  if (!rate) {
    throw UsageError("invalid fee rate '" + *options.fee_rate +
                     "'; use satoshis per virtual byte with at most 3 decimals, such as 2.5");
  }
  return rate;
}

wallet::spend::Allowed allowed_by(const SpendOptions& options) {
  return {.high_fee = options.allow_high_fee, .low_fee = options.allow_low_fee, .unconfirmed = false};
}

PaymentOrder payment_order(const SendOptions& options, const wallet::Wallet& wallet,
                           const chain::NetworkParams& params) {
  const bool uri = options.payments.size() == 1 && wallet::is_payment_uri(options.payments[0]);
  PaymentOrder order = uri ? order_of_uri(options.payments[0], params) : order_of_pairs(options.payments, params);
  if (options.label) {
    if (const auto complaint = report::label_complaint(*options.label)) throw UsageError(*complaint);
    order.label = *options.label;
  }
  order.rate = fee_rate_of(options.spend);
  order.request.subtract_fee = options.subtract_fee;
  order.request.allowed = allowed_by(options.spend);
  order.request.allowed.unconfirmed = options.unconfirmed;
  for (const auto& text : options.coins) {
    const auto coin = wallet::parse_outpoint(text);
    if (!coin) throw UsageError("invalid coin '" + text + "'; use TXID:VOUT as spv utxos shows it");
    order.request.coins.push_back(*coin);
  }
  if (options.change) order.request.change = change_to(*options.change, wallet, params);
  return order;
}

}  // namespace spv::cli
