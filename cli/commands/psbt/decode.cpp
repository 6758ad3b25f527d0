// `spv psbt decode`: what a PSBT spends, pays and lacks.
#include <algorithm>

#include <boost/json.hpp>

#include "cli/commands/commands.h"
#include "cli/commands/spend/psbt_file.h"
#include "cli/commands/spend/psbt_report.h"
#include "cli/output/report.h"
#include "cli/wallet/wallet_file.h"
#include "report/psbt.h"
#include "wallet/spend/wallet_psbt.h"

namespace spv::cli {
namespace {

using wallet::spend::Psbt;
using wallet::spend::PsbtSummary;

// Without a wallet a PSBT can be read, too; then nothing in it is ours.
PsbtSummary look_at(const CommonOptions& common, const Psbt& psbt) {
  const auto names = store_of(common)->names();
  if (std::ranges::find(names, common.wallet) == names.end()) {
    return describe(psbt, wallet::spend::NoPsbtWallet());
  }
  const OpenWallet open = open_wallet(common, Access::Read);
  return describe(psbt, wallet::spend::WalletPsbt(open.wallet, open.stored->info().fingerprint));
}

}  // namespace

ExitCode run(const CommonOptions& common, const PsbtDecodeOptions& options) {
  const Psbt psbt = read_psbt_file(options.file);
  const PsbtSummary summary = look_at(common, psbt);
  const auto& params = chain::params(common.network);
  if (common.json) {
    print_json(report::psbt_json(summary, params));
  } else {
    print_psbt(summary, params, common.unit);
  }
  return ExitCode::Done;
}

}  // namespace spv::cli
