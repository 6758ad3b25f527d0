// `spv export`: the wallet as a wallet file, from wherever it is stored.
#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/output/report.h"
#include "cli/wallet/wallet_file.h"

namespace spv::cli {

ExitCode run(const CommonOptions& common, const ExportOptions& options) {
  require_wallet(common);
  const auto store = store_of(common);
  const auto info = store->open(common.wallet, Access::Read)->info();
  store->backup(common.wallet, options.file);
  if (common.json) {
    print_json({{"wallet", common.wallet}, {"file", options.file}, {"encrypted", info.encrypted}});
  } else {
    print_line(fmt::format("wallet '{}' exported to {}; if you import it elsewhere, delete it here with spv delete",
                           common.wallet, options.file));
  }
  return ExitCode::Done;
}

}  // namespace spv::cli
