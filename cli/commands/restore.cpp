// `spv restore`: a wallet from a mnemonic that the user has.
#include <csignal>

#include <boost/json.hpp>

#include "cli/commands/commands.h"
#include "cli/commands/wallet_summary.h"
#include "cli/output/report.h"
#include "cli/output/stdout_file.h"
#include "cli/wallet/ask_secret.h"
#include "cli/wallet/birthday.h"
#include "cli/wallet/new_wallet.h"
#include "cli/wallet/secret_file.h"
#include "cli/wallet/seed_chains.h"
#include "cli/wallet/wallet_secret.h"
#include "wallet/account.h"

namespace spv::cli {
namespace {

constexpr int kMnemonicTries = 3;

// On a terminal a mistyped word is said and asked for again, not shown before.
wallet::Mnemonic ask_mnemonic() {
  for (int tries = 1;; ++tries) {
    const auto text = ask_secret("Mnemonic (12 to 24 words, not shown as you type): ",
                                 "--mnemonic-file is required when there is no terminal to ask for the words");
    auto mnemonic = wallet::Mnemonic::parse(as_text(text));
    if (mnemonic) return std::move(*mnemonic);
    if (tries == kMnemonicTries) throw CommandError(ExitCode::Failed, "bad-mnemonic", mnemonic.error().message);
    print_note(mnemonic.error().message);
  }
}

wallet::Mnemonic read_mnemonic(const std::string& file) {
  if (file.empty()) return ask_mnemonic();
  const auto text = read_secret(file, "the mnemonic");
  auto mnemonic = wallet::Mnemonic::parse(as_text(text));
  if (!mnemonic) throw CommandError(ExitCode::Failed, "bad-mnemonic", mnemonic.error().message);
  return std::move(*mnemonic);
}

void show_restored(const CommonOptions& common, const boost::json::object& document) {
  std::signal(SIGPIPE, SIG_IGN);  // an error instead
  if (common.json) {
    print_json(document);
  } else {
    print_seed_wallet(common, document);
  }
  flush_stdout();
}

}  // namespace

ExitCode run(const CommonOptions& common, const RestoreOptions& options) {
  const auto& params = chain::params(common.network);
  const auto birthday = parse_birthday(options.birthday, params);
  if (options.mnemonic_file == "-" && options.passphrase_file == "-") {
    throw UsageError("only one secret can come from stdin; use a file for the mnemonic or the passphrase");
  }
  const NewWallet target(common);  // says that the wallet exists before anything is read
  const auto mnemonic = read_mnemonic(options.mnemonic_file);
  util::SecretBytes passphrase;
  if (!options.bip39_passphrase_file.empty()) {
    passphrase = read_secret_line(options.bip39_passphrase_file, "the BIP39 passphrase");
  }
  const wallet::Seed seed = seed_of(mnemonic, as_text(passphrase));
  const auto chains = chains_of(seed, options.script, options.accounts, params);
  const auto lock = passphrase_if(options.encrypt, options.passphrase_file);
  // A command that fails leaves no wallet behind, and its result is part of it.
  target.create(chains, options.gap_limit, birthday, protect(seed, lock, common.network),
                wallet::master_fingerprint(seed),
                [&] { show_restored(common, seed_wallet_json(common, seed, chains)); });
  print_plain_secret_note(common, options.encrypt);
  return ExitCode::Done;
}

}  // namespace spv::cli
