#include "cli/commands/spend/replace.h"

#include "cli/commands/spend/payment_arguments.h"
#include "cli/commands/spend/spend_run.h"
#include "cli/wallet/find_transaction.h"

namespace spv::cli {

ExitCode replace(const CommonOptions& common, const SpendOptions& options, const std::string& txid,
                 const MakeReplacement& make) {
  SpendRun run(common, options);
  const auto rate = fee_rate_of(options);
  const chain::Txid original = find_transaction(run.open().wallet, txid).txid;
  run.prepare(rate);
  const auto& source = run.source();
  auto made = take(
      make(take(source.original(original)), {.rate = run.rate(), .allowed = allowed_by(options)}, source.context()));
  return run.finish({.draft = std::move(made.draft),
                     .replaces = original,
                     .also_replaces = std::move(made.also_replaces),
                     .label = std::nullopt});
}

}  // namespace spv::cli
