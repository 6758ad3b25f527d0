// `spv rescan`: marks scanned blocks, so that the next sync scans them again.
#include "client/rescan.h"

#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/output/report.h"
#include "cli/wallet/wallet_file.h"
#include "client/clock.h"

namespace spv::cli {

ExitCode run(const CommonOptions& common, const RescanOptions& options) {
  OpenWallet open = open_wallet(common, Access::Write);
  auto changes = client::owe_rescan(open.wallet, options.from);
  if (!changes) throw CommandError(ExitCode::Failed, changes.error().code, changes.error().message);
  client::commit_changes(open, std::move(*changes), client::read_clock().wall);
  const auto owed = *open.wallet.scan().backfill;
  if (common.json) {
    print_json({{"from", owed.from}, {"to", owed.to}});
  } else {
    print_line(fmt::format("the next spv sync scans blocks {} to {} again", owed.from, owed.to));
  }
  return ExitCode::Done;
}

}  // namespace spv::cli
