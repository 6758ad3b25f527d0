// `spv restore`: a wallet from a mnemonic that the user has.
#include <boost/json.hpp>

#include "cli/commands/commands.h"
#include "cli/commands/wallet_summary.h"
#include "cli/output/report.h"
#include "cli/wallet/birthday.h"
#include "cli/wallet/new_wallet.h"
#include "cli/wallet/secret_file.h"
#include "cli/wallet/seed_chains.h"
#include "cli/wallet/wallet_secret.h"
#include "wallet/account.h"

namespace spv::cli {

ExitCode run(const CommonOptions& common, const RestoreOptions& options) {
  const auto& params = chain::params(common.network);
  const auto birthday = parse_birthday(options.birthday, params);
  if (options.mnemonic_file == "-" && options.passphrase_file == "-") {
    throw UsageError("stdin holds one secret; give a file for the mnemonic or for the passphrase");
  }
  const NewWallet target(common);  // says that the wallet exists before anything is read
  const auto text = read_secret(options.mnemonic_file, "the mnemonic");
  const auto mnemonic = wallet::Mnemonic::parse(as_text(text));
  if (!mnemonic) throw CommandError(ExitCode::Failed, "bad-mnemonic", mnemonic.error().message);
  util::SecretBytes passphrase;
  if (!options.bip39_passphrase_file.empty()) {
    passphrase = read_secret_line(options.bip39_passphrase_file, "the BIP39 passphrase");
  }
  const wallet::Seed seed = seed_of(*mnemonic, as_text(passphrase));
  const auto chains = chains_of(seed, options.script, options.accounts, params);
  const auto lock = passphrase_if(options.encrypt, options.passphrase_file);
  target.create(chains, options.gap_limit, birthday, protect(seed, lock, common.network),
                wallet::master_fingerprint(seed));
  const auto document = seed_wallet_json(common, seed, chains);
  print_plain_secret_note(common, options.encrypt);
  if (common.json) {
    print_json(document);
  } else {
    print_seed_wallet(common, document);
  }
  return ExitCode::Done;
}

}  // namespace spv::cli
