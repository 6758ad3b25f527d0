// SpendRun: a payment from the plan to what the network says about it; `spv send`, `bump`, `cancel` and `cpfp` are made
// of it.
//
//   prepare (sync, fees) -> plan, by the command -> finish: show, ask, sign, check, store, send, report
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "cli/commands/spend/spend_report.h"
#include "cli/error.h"
#include "cli/options/options.h"
#include "cli/wallet/wallet_file.h"
#include "client/sync_values.h"
#include "wallet/spend/spend_source.h"

namespace spv::cli {

class SpendRun {
 public:
  /// Throws UsageError where it would have to ask and cannot, CommandError for a watch-only wallet that has no --psbt.
  SpendRun(const CommonOptions& common, const SpendOptions& options);

  [[nodiscard]] OpenWallet& open() { return open_; }
  /// Brings the wallet up to date and asks peers for their fees; where nothing is to be sent, it stays offline.
  /// `wanted`: the rate that the user gave.
  void prepare(std::optional<wallet::spend::FeeRate> wanted);
  /// What the user gave, else what the network asks for.
  [[nodiscard]] wallet::spend::FeeRate rate() const { return rate_; }
  /// What a payment depends on now besides the wallet.
  [[nodiscard]] wallet::spend::SpendMoment moment() const;
  /// What the wallet offers now.
  [[nodiscard]] const wallet::spend::SpendSource& source();
  /// Does with the plan what the options say.
  ExitCode finish(SpendPlan plan);

 private:
  void choose_rate(std::optional<wallet::spend::FeeRate> wanted);
  void ask() const;
  ExitCode write_psbt(const SpendPlan& plan) const;
  [[nodiscard]] chain::Transaction sign(const SpendPlan& plan);
  void store(const SpendPlan& plan, const chain::Transaction& tx);
  ExitCode report(const SpendPlan& plan, const chain::Transaction& tx, const report::SendOutcome& outcome) const;
  [[nodiscard]] SpendView view() const;

  const CommonOptions& common_;
  const SpendOptions& options_;
  OpenWallet open_;
  client::FeesKnown fees_;
  wallet::spend::FeeRate rate_;
  std::string rate_note_;  // where it comes from, if it was not given
  std::unique_ptr<wallet::spend::SpendSource> source_;
};

/// The value, or what is wrong as the error of a command: exit 1.
template <typename T>
T take(util::Expected<T, wallet::spend::PaymentError> made) {
  if (!made) throw CommandError(ExitCode::Failed, made.error().code, made.error().message);
  return std::move(*made);
}
inline void take(const util::Expected<void, wallet::spend::PaymentError>& made) {
  if (!made) throw CommandError(ExitCode::Failed, made.error().code, made.error().message);
}

}  // namespace spv::cli
