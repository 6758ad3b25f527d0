// `spv rescan`: marks scanned blocks, so that the next sync scans them again.
#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/output/report.h"
#include "cli/wallet/wallet_file.h"
#include "client/clock.h"

namespace spv::cli {

ExitCode run(const CommonOptions& common, const RescanOptions& options) {
  OpenWallet open = open_wallet(common, Access::Write);
  wallet::ScanState scan = open.wallet.scan();
  const auto birthday = open.wallet.config().birthday;
  if (options.from < birthday) {
    throw CommandError(
        ExitCode::Failed, "below-birthday",
        fmt::format("the wallet starts at block {}; to scan earlier blocks, restore it under another name "
                    "with an earlier --birthday",
                    birthday));
  }
  if (options.from > scan.scanned_to.height) {
    throw CommandError(
        ExitCode::Failed, "not-scanned",
        fmt::format("only blocks up to {} are scanned so far; spv sync continues from there", scan.scanned_to.height));
  }
  const chain::Height from = scan.backfill ? std::min(scan.backfill->from, options.from) : options.from;
  scan.backfill = wallet::HeightRange{from, scan.scanned_to.height};
  scan.attested.forget(from, scan.scanned_to.height);
  client::commit_changes(open, open.wallet.set_scan(std::move(scan)), client::read_clock().wall);
  if (common.json) {
    print_json({{"from", from}, {"to", open.wallet.scan().scanned_to.height}});
  } else {
    print_line(
        fmt::format("the next spv sync scans blocks {} to {} again", from, open.wallet.scan().scanned_to.height));
  }
  return ExitCode::Done;
}

}  // namespace spv::cli
