// `spv set`: changes a setting of the wallet.
#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/output/report.h"
#include "cli/wallet/wallet_file.h"
#include "client/wallet_growth.h"

namespace spv::cli {

ExitCode run(const CommonOptions& common, const SetOptions& options) {
  if (!options.gap_limit) throw UsageError("nothing to set; use --gap-limit N");
  OpenWallet open = open_wallet(common, Access::Write);
  const auto before = open.wallet.config().gap_limit;
  if (*options.gap_limit < before) {
    throw CommandError(
        ExitCode::Failed, "gap-limit",
        fmt::format("the gap limit is {} and cannot be lowered: addresses beyond it may have been handed "
                    "out already",
                    before));
  }
  std::optional<wallet::HeightRange> owed;
  if (*options.gap_limit > before) {
    auto after = client::grown(open.file.load(), {.gap_limit = options.gap_limit});
    open.file.reconfigure(after);
    owed = after.state.scan.backfill;
  }
  if (common.json) {
    boost::json::object out{{"wallet", common.wallet}, {"gap_limit", *options.gap_limit}};
    out["rescan_from"] = owed ? boost::json::value(owed->from) : boost::json::value(nullptr);
    print_json(out);
    return ExitCode::Done;
  }
  print_line(fmt::format("gap limit of wallet '{}': {}", common.wallet, *options.gap_limit));
  if (owed) print_line(fmt::format("the next spv sync scans blocks {} to {} again", owed->from, owed->to));
  return ExitCode::Done;
}

}  // namespace spv::cli
