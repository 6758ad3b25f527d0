// DataFolder: where the files of a network lie, and how a wallet is opened.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "chain/params.h"
#include "store/header_file.h"
#include "store/wallet_repository.h"
#include "wallet/wallet.h"

namespace spv::client {

class DataFolder {
 public:
  DataFolder(const std::filesystem::path& root, chain::Network network);

  /// Makes it with mode 0700 if it is not there; throws StoreError if that fails or it cannot be written.
  void make() const;
  /// ROOT/NETWORK
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] std::filesystem::path headers() const { return folder_ / "headers.dat"; }
  /// The address book.
  [[nodiscard]] std::filesystem::path peers() const { return folder_ / "peers.dat"; }
  /// What the wallets tell, in one order.
  [[nodiscard]] std::filesystem::path events() const { return folder_ / "events.sqlite"; }
  /// `name` is a wallet's name.
  [[nodiscard]] std::filesystem::path wallet(const std::string& name) const;
  /// Sorted.
  [[nodiscard]] std::vector<std::string> wallet_names() const;

 private:
  std::filesystem::path folder_;
};

/// A name becomes a file name: nothing in it may lead elsewhere.
bool is_wallet_name(std::string_view name);

/// A wallet and the file that it came from.
struct OpenWallet {
  store::WalletRepository file;
  wallet::Wallet wallet;
};
/// With what the file holds; what an earlier version left out is corrected, in the file too if it is `writable`.
OpenWallet load_wallet(store::WalletRepository file, bool writable);
/// Commits changes of the wallet with what is to be told by now, which it returns.
std::vector<wallet::TxEvent> commit_changes(OpenWallet& open, wallet::Changes changes, util::UnixTime now);
/// Takes note of the addresses that other processes have handed out.
void note_issued(OpenWallet& open);
/// Another process may have frozen coins, or freed them: before coins are chosen.
void note_frozen(OpenWallet& open);
/// Throws StoreError (missing, locked, damaged, ...).
OpenWallet open_wallet(const std::filesystem::path& path, store::Database::Mode mode, chain::Network network);

/// Where the header file of a wallet begins: the best built-in start point before its birthday, or genesis. A file that
/// begins above it is made anew from there: headers are fetched again, wallets lose nothing.
store::HeaderBase header_base(const chain::NetworkParams& params, const wallet::WalletConfig& config);

}  // namespace spv::client
