// `spv passphrase`
#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/wallet_summary.h"
#include "cli/output/report.h"
#include "cli/output/stdout_file.h"
#include "cli/wallet/wallet_file.h"
#include "cli/wallet/wallet_secret.h"

namespace spv::cli {

ExitCode run(const CommonOptions& common, const PassphraseOptions& options) {
  OpenWallet open = open_wallet(common, Access::Write);
  const bool had_one = open.stored->info().encrypted;
  const bool wants_one = options.remove || !options.passphrase_file.empty();
  if (wants_one && !had_one && open.stored->info().kind == store::WalletKind::Mnemonic) {
    throw CommandError(ExitCode::Failed, "not-encrypted",
                       "this wallet has no passphrase yet; set one with --new-passphrase-file or on a terminal");
  }
  const wallet::Seed seed = unlock(*open.stored, options.passphrase_file);
  std::optional<util::SecretBytes> next;
  if (!options.remove) next = choose_passphrase(options.new_passphrase_file);
  const bool erased = open.stored->replace_secret(protect(seed, next, common.network));
  if (!erased) {
    print_note(
        "another process is reading this wallet, so the old secret is still on disk; run spv passphrase again when "
        "that "
        "process has ended");
  }
  if (common.json) {
    print_json({{"wallet", common.wallet}, {"encrypted", next.has_value()}});
  } else if (next) {
    print_line(fmt::format("passphrase of wallet '{}' {}; if you forget it, restore the wallet from its mnemonic",
                           common.wallet, had_one ? "changed" : "set"));
  } else {
    print_line(fmt::format("passphrase of wallet '{}' removed; the keys are stored unencrypted, readable by {}",
                           common.wallet, readers(common)));
  }
  return ExitCode::Done;
}

}  // namespace spv::cli
