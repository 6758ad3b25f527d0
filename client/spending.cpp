// Client and PSBTs: what spending needs no private keys for.
#include <utility>

#include "client/client_impl.h"
#include "client/spender.h"
#include "util/hex.h"
#include "wallet/spend/psbt_roles.h"

namespace spv {

Result<std::string> combine_psbts(const std::vector<std::string>& psbts) {
  return client::guarded<std::string>([&]() -> Result<std::string> {
    if (psbts.empty()) return Error{ErrorCode::InvalidArgument, "nothing to combine: give PSBTs"};
    std::vector<wallet::spend::Psbt> parsed;
    for (const auto& text : psbts) {
      auto psbt = client::read_psbt(text);
      if (!psbt) return psbt.error();
      parsed.push_back(std::move(*psbt));
    }
    const auto combined = wallet::spend::combine_psbts(parsed);
    if (!combined) return client::to_error(combined.error());
    return to_base64(*combined);
  });
}

Result<std::string> finalize_psbt(std::string_view psbt) {
  return client::guarded<std::string>([&]() -> Result<std::string> {
    const auto parsed = client::read_psbt(psbt);
    if (!parsed) return parsed.error();
    const auto final = wallet::spend::finalize_psbt(*parsed);
    if (!final) return client::to_error(final.error());
    return to_base64(*final);
  });
}

Result<std::string> extract_transaction(std::string_view psbt) {
  return client::guarded<std::string>([&]() -> Result<std::string> {
    const auto tx = client::read_transaction(psbt);
    if (!tx) return tx.error();
    return util::to_hex(tx->serialize());
  });
}

namespace {

Result<Payment> to_unsigned(const Result<client::SpendPlan>& plan, std::uint32_t psbt_version,
                            const chain::NetworkParams& params) {
  if (!plan) return plan.error();
  return client::unsigned_payment(*plan, psbt_version, params);
}

}  // namespace

Result<Payment> Client::create_payment(const std::string& wallet, const PaymentOptions& options) {
  return client::guarded<Payment>([&] {
    return to_unsigned(impl_->spender.plan(wallet, options, client::Purpose::Draft), options.psbt_version,
                       impl_->setup.params);
  });
}

Result<Payment> Client::create_bump(const std::string& wallet, const std::string& txid, std::int64_t fee_rate,
                                    std::uint32_t psbt_version) {
  return client::guarded<Payment>([&] {
    return to_unsigned(
        impl_->spender.plan_replacement(wallet, {txid, fee_rate}, wallet::spend::bump, client::Purpose::Draft),
        psbt_version, impl_->setup.params);
  });
}

Result<std::string> Client::broadcast(std::string_view transaction) {
  return client::guarded<std::string>([&]() -> Result<std::string> {
    const auto tx = client::read_transaction(transaction);
    if (!tx) return tx.error();
    return impl_->spender.broadcast(*tx);
  });
}

Result<void> Client::abandon(const std::string& wallet, const std::string& txid) {
  return impl_->spender.abandon(wallet, txid);
}

Result<void> Client::request_fees() { return impl_->spender.request_fees(); }

}  // namespace spv
