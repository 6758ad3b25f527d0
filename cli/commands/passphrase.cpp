// `spv passphrase`
#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/output/report.h"
#include "cli/wallet/wallet_file.h"
#include "cli/wallet/wallet_secret.h"

namespace spv::cli {

ExitCode run(const CommonOptions& common, const PassphraseOptions& options) {
  OpenWallet open = open_wallet(common, Access::Write);
  const bool had_one = open.file.info().encrypted;
  const bool wants_one = options.remove || !options.passphrase_file.empty();
  if (wants_one && !had_one && open.file.info().kind == store::WalletKind::Mnemonic) {
    throw CommandError(ExitCode::Failed, "not-encrypted",
                       "this wallet has no passphrase yet; set one with --new-passphrase-file or at the terminal");
  }
  const wallet::Seed seed = unlock(open.file, options.passphrase_file);
  std::optional<util::SecretBytes> next;
  if (!options.remove) next = choose_passphrase(options.new_passphrase_file);
  const bool erased = open.file.replace_secret(protect(seed, next, common.network));
  if (!erased) {
    fmt::print(stderr,
               "note: another process reads this wallet, so what the file held before is still on disk; it goes when "
               "that process has ended and spv passphrase is run again\n");
  }
  if (common.json) {
    print_json({{"wallet", common.wallet}, {"encrypted", next.has_value()}});
  } else if (next) {
    print_line(
        fmt::format("the passphrase of wallet '{}' is {}; without it nobody can spend, but the mnemonic "
                    "restores the wallet",
                    common.wallet, had_one ? "changed" : "set"));
  } else {
    print_line(fmt::format("wallet '{}' has no passphrase any more; only your user can read the file", common.wallet));
  }
  return ExitCode::Done;
}

}  // namespace spv::cli
