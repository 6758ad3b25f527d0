// OpenWallet: a wallet in memory and where it is stored.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "client/data_folder.h"
#include "store/store.h"
#include "wallet/wallet.h"

namespace spv::client {

struct OpenWallet {
  std::shared_ptr<store::Store> store;
  std::unique_ptr<store::StoredWallet> stored;
  wallet::Wallet wallet;
};

/// Where wallets are: in the database of this URL, or with an empty one in the files of the folder. Throws StoreError.
std::shared_ptr<store::Store> make_store(const DataFolder& folder, chain::Network network,
                                         const std::string& database = "");

/// Throws StoreError (missing, locked, damaged, ...).
OpenWallet open_wallet(const std::shared_ptr<store::Store>& store, const std::string& name, store::Access access);
/// The same for many, in the order of the names.
std::vector<OpenWallet> open_wallets(const std::shared_ptr<store::Store>& store, const std::vector<std::string>& names,
                                     store::Access access);
/// Commits changes of the wallet with the events that follow from them, which it returns.
std::vector<wallet::TxEvent> commit_changes(OpenWallet& open, wallet::Changes changes, util::UnixTime now);
/// The same with the balance, for Store::balance(). These are all changes that are not committed, and blocks that make
/// more are not coming in: it takes a look at every transaction.
std::vector<wallet::TxEvent> commit_with_balance(OpenWallet& open, wallet::Changes changes, util::UnixTime now);
/// Stores the balance of what is stored, unless it is there. All is committed. A failure is none: whoever wants a
/// balance that is not there computes it.
void keep_balance(OpenWallet& open) noexcept;
/// Throws: a stored script is not the one that its descriptor gives (wallet::NoAddress::Damaged).
[[noreturn]] void fail_foreign_script();
/// Takes note of the addresses that other processes have handed out.
void note_issued(OpenWallet& open);
/// Another process may have frozen coins, or freed them: before coins are chosen.
void note_frozen(OpenWallet& open);

}  // namespace spv::client
