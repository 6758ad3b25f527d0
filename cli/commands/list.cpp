// `spv list`: the wallets of the network.
#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/output/report.h"
#include "cli/wallet/wallet_file.h"

namespace spv::cli {

ExitCode run(const CommonOptions& common, const ListOptions&) {
  const auto names = wallet_names(common);
  if (common.json) {
    print_json({{"wallets", boost::json::array(names.begin(), names.end())}});
    return ExitCode::Done;
  }
  for (const auto& name : names) print_line(name);
  if (names.empty()) {
    print_line(fmt::format("no wallets on {}{}; make one with spv create, spv restore or spv watch",
                           chain::params(common.network).name, wallets_elsewhere(common, "")));
  }
  return ExitCode::Done;
}

}  // namespace spv::cli
