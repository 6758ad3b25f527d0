// `spv backup`: a copy of the wallet as it is at one moment.
#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/output/report.h"
#include "cli/wallet/wallet_file.h"

namespace spv::cli {
namespace {

std::string use_of(const store::WalletInfo& info) {
  if (info.kind == store::WalletKind::Watch) return "watch-only, without private keys";
  return info.encrypted ? "with its keys, encrypted: it opens with the wallet's passphrase"
                        : "with its keys, not encrypted: whoever can read it can spend";
}

}  // namespace

ExitCode run(const CommonOptions& common, const BackupOptions& options) {
  require_wallet(common);
  const auto store = store_of(common);
  const auto info = store->open(common.wallet, Access::Read)->info();
  store->backup(common.wallet, options.file);
  if (common.json) {
    print_json({{"wallet", common.wallet}, {"file", options.file}, {"encrypted", info.encrypted}});
  } else {
    print_line(fmt::format("wallet '{}' saved to {} ({})", common.wallet, options.file, use_of(info)));
  }
  return ExitCode::Done;
}

}  // namespace spv::cli
