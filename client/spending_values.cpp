#include "client/spending_values.h"

#include <algorithm>

#include "util/hex.h"
#include "wallet/address.h"
#include "wallet/label.h"
#include "wallet/spend/psbt_roles.h"

namespace spv::client {
namespace {

using wallet::spend::FeeRate;

Error bad_argument(std::string message) { return {ErrorCode::InvalidArgument, std::move(message)}; }

Result<util::Bytes> script_of(const std::string& address, const chain::NetworkParams& params) {
  auto script = wallet::script_of_address(address, params);
  if (!script) return bad_argument("'" + address + "': " + script.error().message);
  return std::move(*script);
}

std::optional<Error> add_recipients(const PaymentOptions& options, const chain::NetworkParams& params,
                                    wallet::spend::PaymentRequest& request) {
  for (const auto& each : options.recipients) {
    auto script = script_of(each.address, params);
    if (!script) return script.error();
    if (each.amount && (*each.amount <= 0 || *each.amount > chain::kMaxMoney)) {
      return bad_argument("the amount for " + each.address + " must be above 0 and at most 21 million BTC");
    }
    request.recipients.push_back({.script = std::move(*script), .amount = each.amount});
  }
  if (request.recipients.empty()) return bad_argument("nobody is paid: give a recipient");
  const auto takers = std::ranges::count_if(request.recipients, [](const auto& each) { return !each.amount; });
  if (takers > 1) return bad_argument("only one recipient can take all");
  return std::nullopt;
}

Result<chain::Transaction> parse_transaction(util::ByteView bytes) {
  const auto bad = [](std::string_view why) {
    return Error{ErrorCode::InvalidPsbt, "not a finished transaction: " + std::string(why)};
  };
  auto tx = chain::Transaction::parse(bytes);
  if (!tx) return bad(to_string(tx.error()));
  if (const auto checked = chain::check_structure(*tx); !checked) return bad(to_string(checked.error()));
  if (tx->is_coinbase()) return bad("a coinbase cannot be sent");
  return std::move(*tx);
}

}  // namespace

Error to_error(const wallet::spend::PaymentError& error) { return {ErrorCode::Refused, error.message}; }
Error to_error(const wallet::spend::PsbtError& error) { return {ErrorCode::InvalidPsbt, error.message}; }

Result<wallet::spend::PaymentRequest> to_request(const PaymentOptions& options, const wallet::Wallet& wallet,
                                                 const chain::NetworkParams& params) {
  wallet::spend::PaymentRequest request;
  if (auto wrong = add_recipients(options, params, request)) return *wrong;
  for (const auto& text : options.coins) {
    const auto coin = wallet::parse_outpoint(text);
    if (!coin) return bad_argument("'" + text + "' is not a coin; use TXID:VOUT");
    request.coins.push_back(*coin);
  }
  if (!options.change.empty()) {
    auto script = script_of(options.change, params);
    if (!script) return script.error();
    wallet::spend::ChangeScript change{.script = std::move(*script)};
    change.key = wallet.key_of(change.script);
    change.weight = wallet::spend::input_weight_of_script(change.script);
    request.change = std::move(change);
  }
  request.subtract_fee = options.subtract_fee;
  request.allowed = {
      .high_fee = options.allow_high_fee, .low_fee = options.allow_low_fee, .unconfirmed = options.spend_unconfirmed};
  return request;
}

Result<FeeRate> to_rate(std::int64_t given, const FeesKnown* fees, const chain::NetworkParams& params) {
  if (given < 0) return bad_argument("the fee rate must not be negative");
  if (given > 0) return FeeRate(given);
  wallet::spend::FeesHeard heard;
  if (fees != nullptr) heard = {.floor = fees->floor, .estimate = fees->estimate};
  if (const auto usual = wallet::spend::usual_rate(params.network, heard)) return *usual;
  return Error{ErrorCode::Refused, "the present fees are not known; give a fee rate, or call request_fees() first"};
}

Payment to_payment(const wallet::spend::Draft& draft, const chain::Transaction& tx,
                   const chain::NetworkParams& params) {
  Payment out;
  out.txid = util::to_string(tx.txid());
  out.hex = util::to_hex(tx.serialize());
  out.fee = draft.fee;
  out.vsize = draft.vsize();
  for (const auto& input : draft.inputs) {
    out.inputs.push_back({util::to_string(input.outpoint.txid), input.outpoint.index, input.spent.value});
  }
  for (const auto& each : draft.outputs) {
    const auto address = wallet::address_of_script(each.output.script_pubkey, params).value_or("");
    out.outputs.push_back({address, each.output.value, each.change});
  }
  return out;
}

Result<wallet::spend::Psbt> read_psbt(std::string_view text) {
  auto psbt = wallet::spend::read_psbt(util::as_bytes(text));
  if (!psbt) return to_error(psbt.error());
  return std::move(*psbt);
}

Result<chain::Transaction> read_transaction(std::string_view text) {
  if (const auto bytes = util::from_hex(text); bytes && !bytes->empty()) return parse_transaction(*bytes);
  const auto psbt = read_psbt(text);
  if (!psbt) return psbt.error();
  const auto final = wallet::spend::finalize_psbt(*psbt);
  if (!final) return to_error(final.error());
  auto tx = wallet::spend::extract_transaction(*final);
  if (!tx) return to_error(tx.error());
  return std::move(*tx);
}

}  // namespace spv::client
