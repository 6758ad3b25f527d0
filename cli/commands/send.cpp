// `spv send`: pays one or several recipients.
#include "cli/commands/commands.h"
#include "cli/commands/spend/payment_arguments.h"
#include "cli/commands/spend/spend_run.h"

namespace spv::cli {

ExitCode run(const CommonOptions& common, const SendOptions& options) {
  SpendRun run(common, options.spend);
  PaymentOrder order = payment_order(options, run.open().wallet, chain::params(common.network));
  run.prepare(order.rate);
  order.request.rate = run.rate();
  SpendPlan plan{.draft = take(wallet::spend::make_payment(order.request, run.source().context()))};
  plan.label = order.label;
  if (order.request.change) plan.change_script = order.request.change->script;
  return run.finish(std::move(plan));
}

}  // namespace spv::cli
