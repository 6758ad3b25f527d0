// `spv psbt create`: an unsigned PSBT of a payment.
#include "cli/commands/commands.h"
#include "cli/commands/spend/payment_arguments.h"
#include "cli/commands/spend/psbt_file.h"
#include "cli/commands/spend/spend_run.h"

namespace spv::cli {

ExitCode run(const CommonOptions& common, const PsbtCreateOptions& options) {
  SendOptions send = options.send;
  send.spend.psbt = options.out.empty() ? "-" : options.out;
  return run(common, send);
}

}  // namespace spv::cli
