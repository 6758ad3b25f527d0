#include "cli/new_wallet.h"

#include "cli/error.h"
#include "cli/wallet_file.h"
#include "net/clock.h"
#include "wallet/wallet.h"

namespace spv::cli {
namespace {

wallet::FilterIdentity fresh_filter_identity() {
  util::Rng rng(net::system_entropy());
  return {.tweak = static_cast<std::uint32_t>(rng.next()), .decoy_seed = rng.next()};
}

}  // namespace

NewWallet::NewWallet(const CommonOptions& common) : common_(common), path_(wallet_path(common)) {
  if (std::filesystem::exists(std::filesystem::symlink_status(path_))) {
    throw CommandError(ExitCode::Failed, "wallet-exists",
                       "wallet '" + common.wallet + "' exists already and is never overwritten; name another with -w");
  }
}

void NewWallet::create(std::vector<wallet::KeyChainConfig> chains, std::uint32_t gap_limit, const Birthday& birthday,
                       const std::optional<store::StoredSecret>& secret,
                       const std::optional<wallet::Fingerprint>& fingerprint) const {
  wallet::WalletConfig config;
  config.network = common_.network;
  config.key_chains = std::move(chains);
  config.gap_limit = gap_limit;
  config.birthday = birthday.height;
  config.birthday_time = birthday.time;
  config.filter = fresh_filter_identity();
  store::WalletInfo info;
  info.kind = secret ? store::WalletKind::Mnemonic : store::WalletKind::Watch;
  info.created = net::read_clock().wall;
  info.fingerprint = fingerprint;
  auto state = wallet::Wallet::fresh_state(config);
  store::WalletRepository::create(path_, {std::move(config), std::move(state)}, info, secret);
}

}  // namespace spv::cli
