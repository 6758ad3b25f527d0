#include "client/payment_plan.h"

#include "wallet/spend/psbt_roles.h"

namespace spv::client {

using wallet::spend::FeeRate;

// A tip that is not scanned yet would date the transaction wrongly.
wallet::spend::SpendMoment moment_of(const wallet::Wallet& wallet, const FeesKnown* fees, util::UnixTime now) {
  const auto& scan = wallet.scan();
  wallet::spend::SpendMoment out{.tip = {.height = scan.scanned_to.height, .time = scan.time}, .now = now};
  if (fees != nullptr && fees->floor) out.floor = FeeRate(*fees->floor);
  return out;
}

util::Expected<SpendPlan, wallet::spend::PaymentError> plan_payment(const wallet::Wallet& wallet,
                                                                    const wallet::spend::PaymentRequest& request,
                                                                    const wallet::spend::SpendMoment& moment) {
  const wallet::spend::SpendSource source(wallet, moment);
  auto draft = wallet::spend::make_payment(request, source.context());
  if (!draft) return util::Unexpected{draft.error()};
  SpendPlan plan{.draft = std::move(*draft), .rate = request.rate, .allow_high_fee = request.allowed.high_fee};
  if (request.change) plan.change_script = request.change->script;
  return plan;
}

Result<SpendPlan> plan_payment(const wallet::Wallet& wallet, const PaymentOptions& options, FeeRate rate,
                               const wallet::spend::SpendMoment& moment, const chain::NetworkParams& params) {
  auto request = to_request(options, wallet, params);
  if (!request) return request.error();
  request->rate = rate;
  auto plan = plan_payment(wallet, *request, moment);
  if (!plan) return to_error(plan.error());
  return std::move(*plan);
}

Result<Payment> unsigned_payment(const SpendPlan& plan, std::uint32_t psbt_version,
                                 const chain::NetworkParams& params) {
  if (psbt_version != 0 && psbt_version != 2) {
    return Error{ErrorCode::InvalidArgument, "psbt_version must be 0 or 2"};
  }
  const auto psbt = wallet::spend::create_psbt(plan.draft, psbt_version);
  if (!psbt) return to_error(psbt.error());
  Payment out = to_payment(plan.draft, plan.draft.tx, params);
  out.psbt = to_base64(*psbt);
  return out;
}

}  // namespace spv::client
