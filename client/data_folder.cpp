#include "client/data_folder.h"

#include <algorithm>
#include <cerrno>
#include <unistd.h>

#include "chain/checkpoints.h"
#include "store/store_error.h"
#include "store/wallet_file.h"

namespace spv::client {
namespace {

constexpr std::string_view kExtension = ".sqlite";
constexpr std::size_t kMaxNameLength = 64;

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

}  // namespace

bool is_wallet_name(std::string_view name) {
  return !name.empty() && name.size() <= kMaxNameLength && name[0] != '.' && name[0] != '-' &&
         std::all_of(name.begin(), name.end(), is_name_character);
}

DataFolder::DataFolder(const std::filesystem::path& root, chain::Network network)
    : folder_(root / std::string(chain::params(network).name)) {}

void DataFolder::make() const {
  static_cast<void>(store::resolve_new(headers()));
  if (::access(folder_.c_str(), W_OK | X_OK) != 0) {
    throw store::StoreError::from_errno(errno, "write to the folder", folder_.string());
  }
}

std::filesystem::path DataFolder::wallet(const std::string& name) const {
  return folder_ / "wallets" / (name + std::string(kExtension));
}

std::vector<std::string> DataFolder::wallet_names() const {
  std::vector<std::string> names;
  std::error_code error;
  std::filesystem::directory_iterator entry(folder_ / "wallets", error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const auto name = entry->path().stem().string();
    std::error_code ignored;
    if (entry->path().extension() == kExtension && is_wallet_name(name) && entry->is_regular_file(ignored)) {
      names.push_back(name);
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

OpenWallet open_wallet(const std::filesystem::path& path, store::Database::Mode mode, chain::Network network) {
  return load_wallet(store::WalletRepository::open(path, mode, network), mode == store::Database::Mode::ReadWrite);
}

OpenWallet load_wallet(store::WalletRepository file, bool writable) {
  auto loaded = file.load();
  wallet::Wallet wallet(std::move(loaded.config), std::move(loaded.state));
  const auto marked = wallet.mark_shared_scripts();
  if (writable && !marked.key_chains.empty()) file.commit(marked);
  return {std::move(file), std::move(wallet)};
}

std::vector<wallet::TxEvent> commit_changes(OpenWallet& open, wallet::Changes changes, util::UnixTime now) {
  changes.merge(open.wallet.tell());
  open.file.commit(changes, now);
  return std::move(changes.events);
}

void note_issued(OpenWallet& open) {
  const auto issued = open.file.issued();
  for (std::size_t chain = 0; chain < issued.size(); ++chain) open.wallet.note_issued(chain, issued[chain]);
}

void note_frozen(OpenWallet& open) { open.wallet.set_frozen(open.file.frozen()); }

store::HeaderBase header_base(const chain::NetworkParams& params, const wallet::WalletConfig& config) {
  const auto point = config.birthday_time ? chain::start_point_before_time(params, *config.birthday_time)
                                          : chain::start_point_before(params, config.birthday);
  return point ? store::HeaderBase::at(*point) : store::HeaderBase::genesis(params);
}

}  // namespace spv::client
