// `spv rename`: another name for the wallet.
#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/output/report.h"
#include "cli/wallet/wallet_file.h"

namespace spv::cli {

ExitCode run(const CommonOptions& common, const RenameOptions& options) {
  require_wallet(common);
  CommonOptions renamed = common;
  renamed.wallet = options.name;
  require_wallet_name(renamed.wallet);
  const auto store = store_of(common);
  if (store->contains(renamed.wallet)) {
    throw CommandError(ExitCode::Failed, "wallet-exists",
                       "wallet '" + renamed.wallet + "' already exists; choose another new name");
  }
  store->rename(common.wallet, renamed.wallet);
  if (common.json) {
    print_json({{"wallet", renamed.wallet}, {"renamed_from", common.wallet}});
  } else {
    print_line(fmt::format("wallet '{}' is now '{}'", common.wallet, renamed.wallet));
  }
  return ExitCode::Done;
}

}  // namespace spv::cli
