// `spv complete`: what the shells' completions ask for; not in --help.
#include "cli/commands/commands.h"
#include "cli/output/report.h"
#include "cli/wallet/wallet_file.h"

namespace spv::cli {
namespace {

/// A shell asks before it shows the list.
constexpr std::size_t kMostTxids = 99;

}  // namespace

ExitCode run(const CommonOptions& common, const CompleteOptions& options) {
  if (options.what == "wallets") {
    for (const auto& name : store_of(common)->names()) {
      if (name.starts_with(options.prefix)) print_line(name);
    }
    return ExitCode::Done;
  }
  const OpenWallet open = open_wallet(common, Access::Read);
  std::size_t shown = 0;
  for (const auto& entry : open.wallet.history()) {
    const std::string txid = util::to_string(entry.txid);
    if (shown == kMostTxids) break;
    if (!txid.starts_with(options.prefix)) continue;
    print_line(txid);
    ++shown;
  }
  return ExitCode::Done;
}

}  // namespace spv::cli
