#include "cli/wallet_file.h"

#include <algorithm>

#include "cli/error.h"

namespace spv::cli {
namespace {

constexpr std::string_view kExtension = ".sqlite";
constexpr std::size_t kMaxNameLength = 64;

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

// A name becomes a file name: nothing in it may lead elsewhere.
void check_name(const std::string& name) {
  const bool good = !name.empty() && name.size() <= kMaxNameLength && name[0] != '.' && name[0] != '-' &&
                    std::all_of(name.begin(), name.end(), is_name_character);
  if (!good) {
    throw UsageError("'" + name + "' is no name for a wallet; use letters, digits, '.', '_' and '-', at most 64");
  }
}

std::filesystem::path wallets_folder(const CommonOptions& common) { return network_folder(common) / "wallets"; }

}  // namespace

std::filesystem::path network_folder(const CommonOptions& common) {
  return common.datadir / std::string(chain::params(common.network).name);
}

std::filesystem::path headers_path(const CommonOptions& common) { return network_folder(common) / "headers.dat"; }

std::filesystem::path peers_path(const CommonOptions& common) { return network_folder(common) / "peers.dat"; }

std::filesystem::path wallet_path(const CommonOptions& common) {
  check_name(common.wallet);
  return wallets_folder(common) / (common.wallet + std::string(kExtension));
}

std::vector<std::string> wallet_names(const CommonOptions& common) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(wallets_folder(common), error)) {
    if (entry.path().extension() == kExtension) names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

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
  auto file = store::WalletRepository::open(path, mode, common.network);
  auto loaded = file.load();
  wallet::Wallet wallet(std::move(loaded.config), std::move(loaded.state));
  return {std::move(file), std::move(wallet)};
}

}  // namespace spv::cli
