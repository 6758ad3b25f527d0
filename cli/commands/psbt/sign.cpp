// `spv psbt sign`: adds the wallet's signatures, after it has shown what it signs.
#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/spend/psbt_file.h"
#include "cli/commands/spend/psbt_report.h"
#include "cli/commands/spend/spend_run.h"
#include "cli/output/report.h"
#include "cli/wallet/confirm.h"
#include "cli/wallet/wallet_file.h"
#include "cli/wallet/wallet_secret.h"
#include "report/psbt.h"
#include "wallet/spend/seed_keys.h"
#include "wallet/spend/seed_psbt.h"

namespace spv::cli {
namespace {

using wallet::spend::Psbt;
using wallet::spend::PsbtSummary;

void show_and_ask(const CommonOptions& common, const PsbtSignOptions& options, const PsbtSummary& summary) {
  if (common.json) return;
  // With the PSBT itself on stdout there is no room for it, and whoever asks is a program.
  if (!options.out.empty()) print_psbt(summary, chain::params(common.network), common.unit);
  if (options.yes) return;
  std::fflush(stdout);
  if (!confirm("Sign?")) throw CommandError(ExitCode::Failed, "cancelled", "nothing is signed");
}

wallet::ExtendedPrivateKey master_key(OpenWallet& open, const std::string& passphrase_file) {
  const wallet::Seed seed = unlock(*open.stored, passphrase_file);
  const auto master = wallet::ExtendedPrivateKey::from_seed(seed.view());
  if (!master) throw CommandError(ExitCode::Failed, "secret", "the wallet's seed has no master key");
  return *master;
}

}  // namespace

ExitCode run(const CommonOptions& common, const PsbtSignOptions& options) {
  if (!options.yes && !common.json && !can_ask()) {
    throw UsageError("cannot ask without a terminal; use --yes to sign without a question");
  }
  const Psbt psbt = read_psbt_file(options.file);
  OpenWallet open = open_wallet(common, Access::Read);
  const auto fingerprint = open.stored->info().fingerprint;
  const PsbtSummary summary = describe(psbt, wallet::spend::WalletPsbt(open.wallet, fingerprint));
  take(wallet::spend::check_fee(summary, {.high_fee = options.allow_high_fee}));
  show_and_ask(common, options, summary);
  const auto master = master_key(open, options.passphrase_file);
  const wallet::spend::SeedPsbt ours(open.wallet, master);
  const auto made = take(wallet::spend::sign_psbt(psbt, ours, wallet::spend::SeedKeys(master)));
  if (!options.out.empty() || !common.json) write_psbt_file(options.out, made.psbt);
  if (common.json) {
    auto out = report::psbt_json(describe(made.psbt, ours), chain::params(common.network));
    out["signatures_added"] = made.signatures;
    out["psbt"] = to_base64(made.psbt);
    print_json(out);
  } else if (!options.out.empty()) {
    print_line(fmt::format("{} signature{} added, written to {}", made.signatures, made.signatures == 1 ? "" : "s",
                           options.out));
  }
  return ExitCode::Done;
}

}  // namespace spv::cli
