#include "cli/wallet/wallet_file.h"

#include <algorithm>

#include "cli/error.h"
#include "cli/options/options.h"
#include "client/proof.h"
#include "store/header_file.h"

namespace spv::cli {
namespace {

client::DataFolder folder_of(const CommonOptions& common) {
  std::error_code ignored;
  const auto status = std::filesystem::status(common.datadir, ignored);
  if (std::filesystem::exists(status) && !std::filesystem::is_directory(status)) {
    throw UsageError("--datadir '" + common.datadir.string() + "' is not a directory");
  }
  return {common.datadir, common.network};
}

}  // namespace

std::filesystem::path network_folder(const CommonOptions& common) { return folder_of(common).folder(); }

std::filesystem::path headers_path(const CommonOptions& common) { return folder_of(common).headers(); }

std::unique_ptr<store::HeaderFile> read_headers(const CommonOptions& common) {
  return client::read_headers(headers_path(common).string(), common.network);
}

std::filesystem::path peers_path(const CommonOptions& common) { return folder_of(common).peers(); }

std::shared_ptr<store::Store> store_of(const CommonOptions& common) {
  return client::make_store(folder_of(common), common.network, common.database);
}

void require_wallet_name(const std::string& name) {
  if (store::is_wallet_name(name)) return;
  throw UsageError("invalid wallet name '" + name +
                   "'; use at most 64 letters, digits, '.', '_' and '-', beginning with a letter, digit or '_'");
}

void require_wallet(const CommonOptions& common) {
  require_wallet_name(common.wallet);
  if (store_of(common)->contains(common.wallet)) return;
  throw CommandError(ExitCode::Wallet, "wallet-missing",
                     "no wallet '" + common.wallet + "' on " + std::string(chain::params(common.network).name) +
                         wallets_elsewhere(common, common.wallet) +
                         "; see spv list, or create one with spv create, restore or watch");
}

void require_no_wallet(const CommonOptions& common) {
  require_wallet_name(common.wallet);
  if (!store_of(common)->contains(common.wallet)) return;
  throw CommandError(ExitCode::Failed, "wallet-exists",
                     "wallet '" + common.wallet + "' already exists; choose another name with -w");
}

std::string wallets_elsewhere(const CommonOptions& common, const std::string& name) {
  if (!common.database.empty()) return "";  // which is of one network
  CommonOptions other = common;
  std::string where;
  for (const auto network : {chain::Network::Main, chain::Network::Testnet3, chain::Network::Testnet4,
                             chain::Network::Signet, chain::Network::Regtest}) {
    other.network = network;
    const auto names = store_of(other)->names();
    const bool has = name.empty() ? !names.empty() : std::find(names.begin(), names.end(), name) != names.end();
    if (network != common.network && has) where += " --network " + std::string(chain::params(network).name);
  }
  return where.empty() ? "" : (name.empty() ? "; there are wallets with" : "; there is one with") + where;
}

OpenWallet open_wallet(const CommonOptions& common, Access access) {
  require_wallet(common);
  try {
    return client::open_wallet(store_of(common), common.wallet, access);
  } catch (const store::StoreError& error) {
    if (error.kind() != store::StoreError::Kind::Missing) throw;
    // It was there a moment ago.
    throw store::StoreError(store::StoreError::Kind::Moved,
                            "the wallet '" + common.wallet + "' was renamed or deleted meanwhile; see spv list");
  }
}

}  // namespace spv::cli
