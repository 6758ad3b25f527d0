#include "cli/wallet/wallet_file.h"

#include <algorithm>

#include "cli/error.h"
#include "cli/options/options.h"
#include "client/proof.h"
#include "store/header_file.h"

namespace spv::cli {
namespace {

client::DataFolder folder_of(const CommonOptions& common) { return {common.datadir, common.network}; }

}  // namespace

std::filesystem::path network_folder(const CommonOptions& common) { return folder_of(common).folder(); }

std::filesystem::path headers_path(const CommonOptions& common) { return folder_of(common).headers(); }

std::unique_ptr<store::HeaderFile> read_headers(const CommonOptions& common) {
  return client::read_headers(headers_path(common).string(), common.network);
}

std::filesystem::path peers_path(const CommonOptions& common) { return folder_of(common).peers(); }

std::filesystem::path wallet_path(const CommonOptions& common) {
  if (!client::is_wallet_name(common.wallet)) {
    throw UsageError("'" + common.wallet +
                     "' is no name for a wallet; use letters, digits, '.', '_' and '-', at most 64");
  }
  return folder_of(common).wallet(common.wallet);
}

std::vector<std::string> wallet_names(const CommonOptions& common) { return folder_of(common).wallet_names(); }

std::string wallets_elsewhere(const CommonOptions& common, const std::string& name) {
  CommonOptions other = common;
  std::string where;
  for (const auto network : {chain::Network::Main, chain::Network::Testnet3, chain::Network::Testnet4,
                             chain::Network::Signet, chain::Network::Regtest}) {
    other.network = network;
    const auto names = wallet_names(other);
    const bool has = name.empty() ? !names.empty() : std::find(names.begin(), names.end(), name) != names.end();
    if (network != common.network && has) where += " --network " + std::string(chain::params(network).name);
  }
  return where.empty() ? "" : (name.empty() ? "; there are some with" : "; there is one with") + where;
}

OpenWallet open_wallet(const CommonOptions& common, Access access) {
  const auto path = wallet_path(common);
  if (!std::filesystem::exists(path)) {
    throw CommandError(ExitCode::Wallet, "wallet-missing",
                       "there is no wallet '" + common.wallet + "' on " +
                           std::string(chain::params(common.network).name) + wallets_elsewhere(common, common.wallet) +
                           "; see spv list, or make one with spv create, restore or watch");
  }
  const auto mode = access == Access::Write ? store::Database::Mode::ReadWrite : store::Database::Mode::ReadOnly;
  return client::open_wallet(path, mode, common.network);
}

}  // namespace spv::cli
