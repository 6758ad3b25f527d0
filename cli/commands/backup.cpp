// `spv backup` and `spv export`: a copy of the wallet as it is at one moment, in a file, from wherever it is stored.
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

/// What it says about itself.
store::WalletInfo write_copy(const CommonOptions& common, const std::string& file) {
  require_wallet(common);
  const auto store = store_of(common);
  auto info = store->open(common.wallet, Access::Read)->info();
  store->backup(common.wallet, file);
  if (common.json) print_json({{"wallet", common.wallet}, {"file", file}, {"encrypted", info.encrypted}});
  return info;
}

}  // namespace

ExitCode run(const CommonOptions& common, const BackupOptions& options) {
  const auto info = write_copy(common, options.file);
  if (!common.json) print_line(fmt::format("wallet '{}' saved to {} ({})", common.wallet, options.file, use_of(info)));
  return ExitCode::Done;
}

ExitCode run(const CommonOptions& common, const ExportOptions& options) {
  write_copy(common, options.file);
  if (common.json) return ExitCode::Done;
  print_line(fmt::format("wallet '{}' exported to {}; if you import it elsewhere, delete it here with spv delete",
                         common.wallet, options.file));
  return ExitCode::Done;
}

}  // namespace spv::cli
