// `spv bump`: replaces an unconfirmed transaction by one that pays a higher fee.
#include "cli/commands/commands.h"
#include "cli/commands/spend/replace.h"

namespace spv::cli {

ExitCode run(const CommonOptions& common, const BumpOptions& options) {
  return replace(common, options.spend, options.txid, wallet::spend::bump);
}

}  // namespace spv::cli
