// Spender: payments of a client's wallets, from the plan to the network. Keys are not its matter: whoever signs does so
// between plan() and finish(), while nothing is locked.
#pragma once

#include <functional>
#include <optional>
#include <spv/client.h>
#include <string>

#include "client/errors.h"
#include "client/payment_plan.h"
#include "client/spending_values.h"
#include "client/syncer.h"
#include "wallet/spend/replacement.h"
#include "wallet/spend/spend_source.h"

namespace spv::client {

/// What a plan is for: what is to be sent is refused if nothing can be sent now.
enum class Purpose { Draft, Send };

/// Which payment to replace, at what rate.
struct ReplaceOptions {
  const std::string& txid;
  std::int64_t fee_rate = 0;
};

using MakeReplacement = std::function<util::Expected<wallet::spend::Replacement, wallet::spend::PaymentError>(
    const wallet::spend::Original&, const wallet::spend::ReplaceRequest&, const wallet::spend::SpendContext&)>;

class Spender {
 public:
  /// Both outlive it.
  Spender(const ClientSetup& setup, Syncer& syncer) : setup_(setup), syncer_(syncer) {}

  /// Calls it with all wallets, locked, and the one of this name; what it throws becomes an error.
  template <typename T>
  Result<T> with(const std::string& wallet, const std::function<Result<T>(SyncState&, Held&)>& what) {
    const auto state = syncer_.lock();
    const auto held = state->usable(wallet);
    if (!held) return held.error();
    return guarded<T>([&] { return what(*state, **held); });
  }

  Result<SpendPlan> plan(const std::string& wallet, const PaymentOptions& options, Purpose purpose);
  Result<SpendPlan> plan_replacement(const std::string& wallet, const ReplaceOptions& options,
                                     const MakeReplacement& make, Purpose purpose);
  /// Stores it and sends it.
  Result<void> finish(SyncState& state, Held& held, const SpendPlan& plan, const chain::Transaction& tx);
  /// What others have made or signed.
  Result<std::string> broadcast(const chain::Transaction& tx);
  Result<void> abandon(const std::string& wallet, const std::string& txid);
  Result<void> request_fees();

 private:
  /// What peers said, if that is not too long ago.
  [[nodiscard]] const FeesKnown* fees_of(const SyncState& state) const;
  [[nodiscard]] wallet::spend::SpendMoment moment_of(const SyncState& state, const wallet::Wallet& wallet) const;

  const ClientSetup& setup_;
  Syncer& syncer_;
};

}  // namespace spv::client
