// `spv create` and `spv restore`: wallets from a mnemonic.
#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/output/report.h"
#include "cli/wallet/birthday.h"
#include "cli/wallet/new_wallet.h"
#include "cli/wallet/secret_file.h"
#include "cli/wallet/wallet_secret.h"
#include "client/seed_wallet.h"
#include "net/clock.h"
#include "util/hex.h"
#include "wallet/account.h"

namespace spv::cli {
namespace {

constexpr std::size_t kMaxAccounts = 10;

wallet::Seed seed_of(const wallet::Mnemonic& mnemonic, std::string_view passphrase) {
  auto seed = mnemonic.seed(passphrase);
  if (!seed) throw CommandError(ExitCode::Failed, "bad-passphrase", seed.error().message);
  return *seed;
}

std::vector<wallet::KeyChainConfig> chains_of(const wallet::Seed& seed, const std::string& script,
                                              const std::vector<std::uint32_t>& accounts,
                                              const chain::NetworkParams& params) {
  std::set<std::uint32_t> done;
  std::vector<wallet::KeyChainConfig> chains;
  for (const auto account : accounts) {
    if (!done.insert(account).second) continue;
    if (done.size() > kMaxAccounts) {
      throw UsageError("a wallet has at most 10 accounts, as many as a filter holds; make a second wallet");
    }
    auto pairs = client::chains_of_seed(seed, script, account, params);  // the parser lets only good names through
    if (!pairs) throw CommandError(ExitCode::Failed, "bad-seed", "this seed has no master key; use another mnemonic");
    std::ranges::move(*pairs, std::back_inserter(chains));
  }
  return chains;
}

boost::json::object summary(const CommonOptions& common, const wallet::Seed& seed,
                            const std::vector<wallet::KeyChainConfig>& chains) {
  boost::json::array texts;
  for (const auto& chain : chains) texts.emplace_back(chain.descriptor.to_string());
  const auto fingerprint = wallet::master_fingerprint(seed);
  return {{"wallet", common.wallet},
          {"fingerprint", fingerprint ? util::to_hex(*fingerprint) : ""},
          {"descriptors", std::move(texts)}};
}

void print_summary(const CommonOptions& common, const boost::json::object& document) {
  print_line(fmt::format("wallet '{}' on {} is ready", common.wallet, chain::params(common.network).name));
  print_line(fmt::format("fingerprint  {}", std::string_view(document.at("fingerprint").as_string())));
  for (const auto& descriptor : document.at("descriptors").as_array()) {
    print_line(fmt::format("descriptor   {}", std::string_view(descriptor.as_string())));
  }
}

/// Asked for before anything is made; nothing where the keys stay without one.
template <typename Options>
std::optional<util::SecretBytes> passphrase_for(const Options& options) {
  if (!options.encrypt) return std::nullopt;
  return choose_passphrase(options.passphrase_file);
}

void tell_about_plain_secret(const CommonOptions& common, bool encrypted) {
  if (common.json || encrypted) return;
  fmt::print(stderr,
             "note: the wallet file holds the keys without a passphrase; only your user can read it (spv passphrase "
             "sets one)\n");
}

}  // namespace

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
  const auto lock = passphrase_for(options);
  target.create(chains, options.gap_limit, birthday, protect(seed, lock, common.network),
                wallet::master_fingerprint(seed));
  const auto document = summary(common, seed, chains);
  tell_about_plain_secret(common, options.encrypt);
  if (common.json) {
    print_json(document);
  } else {
    print_summary(common, document);
  }
  return ExitCode::Done;
}

ExitCode run(const CommonOptions& common, const CreateOptions& options) {
  const auto& params = chain::params(common.network);
  const NewWallet target(common);
  const auto lock = passphrase_for(options);
  util::SecretBytes entropy(wallet::Mnemonic::entropy_size(options.words));
  net::fill_with_entropy(entropy);
  const auto mnemonic = wallet::Mnemonic::from_entropy(entropy);
  const wallet::Seed seed = seed_of(mnemonic, "");
  const auto chains = chains_of(seed, options.script, options.accounts, params);
  target.create(chains, options.gap_limit, Birthday{.height = 0, .time = net::read_clock().wall},
                protect(seed, lock, common.network), wallet::master_fingerprint(seed));
  auto document = summary(common, seed, chains);
  tell_about_plain_secret(common, options.encrypt);
  if (common.json) {
    document.emplace("mnemonic", mnemonic.text());
    print_json(document);
    return ExitCode::Done;
  }
  print_summary(common, document);
  print_line("");
  fmt::print("{}\n", mnemonic.text());
  print_line("");
  print_line("Write these words down: they are the only way to get the coins back, and are not shown again.");
  return ExitCode::Done;
}

}  // namespace spv::cli
