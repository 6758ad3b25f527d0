// `spv cpfp`: speeds up an unconfirmed transaction by a child that pays for both.
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/spend/payment_arguments.h"
#include "cli/commands/spend/spend_run.h"
#include "cli/wallet/find_transaction.h"

namespace spv::cli {

ExitCode run(const CommonOptions& common, const CpfpOptions& options) {
  SpendRun run(common, options.spend);
  const auto rate = fee_rate_of(options.spend);
  const chain::Txid parent = find_transaction(run.open().wallet, options.txid).txid;
  run.prepare(rate);
  const auto& source = run.source();
  auto child = take(wallet::spend::child_pays_for_parent(
      take(source.parent(parent)), {.rate = run.rate(), .allowed = allowed_by(options.spend)}, source.context()));
  SpendPlan plan{.draft = std::move(child.draft)};
  plan.notes.push_back(fmt::format("with its parent: {} sat for {} vB, {:.2f} sat/vB", child.package_fee,
                                   child.package_vsize, report::fee_rate_of(child.package_fee, child.package_vsize)));
  if (!child.parent_fee_known) {
    plan.notes.emplace_back("the parent's fee is not known; it was taken to pay the least that peers relay");
  }
  return run.finish(std::move(plan));
}

}  // namespace spv::cli
