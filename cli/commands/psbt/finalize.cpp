// `spv psbt finalize`: turns the signatures of a PSBT into scripts and witnesses.
#include "cli/commands/commands.h"
#include "cli/commands/spend/psbt_file.h"
#include "cli/commands/spend/psbt_result.h"
#include "wallet/spend/psbt_roles.h"

namespace spv::cli {

ExitCode run(const CommonOptions& common, const PsbtFinalizeOptions& options) {
  return write_result(common, options.out, take(wallet::spend::finalize_psbt(read_psbt_file(options.file))));
}

}  // namespace spv::cli
