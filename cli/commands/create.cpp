// `spv create`: a wallet from a new mnemonic, which is shown once.
#include <csignal>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/wallet_summary.h"
#include "cli/output/report.h"
#include "cli/output/stdout_file.h"
#include "cli/wallet/new_wallet.h"
#include "cli/wallet/seed_chains.h"
#include "cli/wallet/wallet_secret.h"
#include "client/clock.h"
#include "wallet/account.h"

namespace spv::cli {
namespace {

// Written to the end, or an error: a pipe that nobody reads must not end the process without a word.
void show_new_wallet(const CommonOptions& common, boost::json::object document, const wallet::Mnemonic& mnemonic) {
  std::signal(SIGPIPE, SIG_IGN);
  if (common.json) {
    document.emplace("mnemonic", mnemonic.text());
    print_json(document);
  } else {
    print_seed_wallet(common, document);
    print_line("");
    fmt::print("{}\n", mnemonic.text());
    print_line("");
    print_line("Write these words down. They are the only way to restore the wallet, and are not shown again.");
  }
  flush_stdout();
}

}  // namespace

ExitCode run(const CommonOptions& common, const CreateOptions& options) {
  const auto& params = chain::params(common.network);
  const NewWallet target(common);
  const auto lock = passphrase_if(options.encrypt, options.passphrase_file);
  util::SecretBytes entropy(wallet::Mnemonic::entropy_size(options.words));
  client::fill_with_entropy(entropy);
  const auto mnemonic = wallet::Mnemonic::from_entropy(entropy);
  const wallet::Seed seed = seed_of(mnemonic, "");
  const auto chains = chains_of(seed, options.script, options.accounts, params);
  // The words first: a wallet whose words nobody has seen must not exist.
  target.create(chains, options.gap_limit, Birthday{.height = 0, .time = client::read_clock().wall},
                protect(seed, lock, common.network), wallet::master_fingerprint(seed),
                [&] { show_new_wallet(common, seed_wallet_json(common, seed, chains), mnemonic); });
  print_plain_secret_note(common, options.encrypt);
  return ExitCode::Done;
}

}  // namespace spv::cli
