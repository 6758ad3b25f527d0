// `spv rename`: another name for the wallet.
#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/output/report.h"
#include "cli/wallet/wallet_file.h"
#include "store/wallet_moves.h"

namespace spv::cli {

ExitCode run(const CommonOptions& common, const RenameOptions& options) {
  const auto from = existing_wallet_path(common);
  CommonOptions renamed = common;
  renamed.wallet = options.name;
  const auto to = wallet_path(renamed);
  if (std::filesystem::exists(std::filesystem::symlink_status(to))) {
    throw CommandError(ExitCode::Failed, "wallet-exists",
                       "wallet '" + renamed.wallet + "' already exists; choose another new name");
  }
  store::rename_wallet(from, to);
  if (common.json) {
    print_json({{"wallet", renamed.wallet}, {"renamed_from", common.wallet}});
  } else {
    print_line(fmt::format("wallet '{}' is now '{}'", common.wallet, renamed.wallet));
  }
  return ExitCode::Done;
}

}  // namespace spv::cli
