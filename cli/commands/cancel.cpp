// `spv cancel`: replaces an unconfirmed transaction by one that pays all of it back to the wallet.
#include "cli/commands/commands.h"
#include "cli/commands/spend/replace.h"

namespace spv::cli {

ExitCode run(const CommonOptions& common, const CancelOptions& options) {
  return replace(common, options.spend, options.txid, wallet::spend::cancel);
}

}  // namespace spv::cli
