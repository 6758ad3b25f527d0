// `spv send`: pays one or several recipients.
#include "cli/commands/commands.h"
#include "cli/commands/spend/payment_arguments.h"
#include "cli/commands/spend/spend_run.h"
#include "client/payment_plan.h"

namespace spv::cli {

ExitCode run(const CommonOptions& common, const SendOptions& options) {
  SpendRun run(common, options.spend);
  PaymentOrder order = payment_order(options, run.open().wallet, chain::params(common.network));
  run.prepare(order.rate);
  order.request.rate = run.rate();
  auto planned = take(client::plan_payment(run.open().wallet, order.request, run.moment()));
  return run.finish(
      {.draft = std::move(planned.draft), .label = order.label, .change_script = std::move(planned.change_script)});
}

}  // namespace spv::cli
