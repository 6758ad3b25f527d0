// `spv set`: changes a setting of the wallet.
#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/growing.h"
#include "cli/output/report.h"
#include "cli/wallet/wallet_file.h"

namespace spv::cli {

ExitCode run(const CommonOptions& common, const SetOptions& options) {
  if (!options.gap_limit) throw UsageError("nothing to set; use --gap-limit N");
  OpenWallet open = open_wallet(common, Access::Write);
  const auto before = open.wallet.config().gap_limit;
  require_not_lower(*options.gap_limit, open.wallet.config());
  std::optional<wallet::HeightRange> owed;
  if (*options.gap_limit > before) owed = grow(open, {.gap_limit = options.gap_limit});
  if (common.json) {
    boost::json::object out{{"wallet", common.wallet}, {"gap_limit", *options.gap_limit}};
    out["rescan_from"] = owed ? boost::json::value(owed->from) : boost::json::value(nullptr);
    print_json(out);
    return ExitCode::Done;
  }
  print_line(fmt::format("gap limit of wallet '{}': {}", common.wallet, *options.gap_limit));
  print_owed(owed);
  return ExitCode::Done;
}

}  // namespace spv::cli
