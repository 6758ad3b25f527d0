// WalletShelf: where a client's wallets are: files of the data folder, or a store of the user's.
#pragma once

#include <memory>
#include <spv/wallet_store.h>
#include <string>
#include <vector>

#include "client/data_folder.h"
#include "client/new_wallet.h"

namespace spv::client {

class WalletShelf {
 public:
  /// Files, where `store` is null.
  WalletShelf(DataFolder folder, chain::Network network, std::shared_ptr<WalletStore> store);

  /// Sorted.
  [[nodiscard]] std::vector<std::string> names() const;
  /// Throws StoreError.
  void make(const std::string& name, NewWallet wallet) const;
  /// For writing. Throws StoreError (missing, locked, damaged, ...).
  [[nodiscard]] OpenWallet open(const std::string& name) const;

 private:
  [[nodiscard]] store::WalletRepository::Keep keeper(const std::string& name) const;

  DataFolder folder_;
  chain::Network network_;
  std::shared_ptr<WalletStore> store_;
};

}  // namespace spv::client
