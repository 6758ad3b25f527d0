// `spv rename`: another name for the wallet.
#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/output/report.h"
#include "cli/wallet/new_wallet.h"
#include "cli/wallet/wallet_file.h"
#include "store/wallet_moves.h"

namespace spv::cli {

ExitCode run(const CommonOptions& common, const RenameOptions& options) {
  const auto from = existing_wallet_path(common);
  CommonOptions renamed = common;
  renamed.wallet = options.name;
  const NewWallet target(renamed);  // says that the name is taken
  store::rename_wallet(from, wallet_path(renamed));
  if (common.json) {
    print_json({{"wallet", renamed.wallet}, {"renamed_from", common.wallet}});
  } else {
    print_line(fmt::format("wallet '{}' is now '{}'", common.wallet, renamed.wallet));
  }
  return ExitCode::Done;
}

}  // namespace spv::cli
