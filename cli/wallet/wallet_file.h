// Where the files of a network and its wallets are, and how a command opens a wallet.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "client/open_wallet.h"

namespace spv::store {
class HeaderFile;
}  // namespace spv::store

namespace spv::cli {

struct CommonOptions;

/// DATADIR/NETWORK
std::filesystem::path network_folder(const CommonOptions& common);
std::filesystem::path headers_path(const CommonOptions& common);
/// The stored headers; null where there are none yet: a look at them does not make the file.
std::unique_ptr<store::HeaderFile> read_headers(const CommonOptions& common);
/// The address book.
std::filesystem::path peers_path(const CommonOptions& common);
/// Where the wallets are. Throws StoreError.
std::shared_ptr<store::Store> store_of(const CommonOptions& common);
/// Throws UsageError for a name that could leave the folder.
void require_wallet_name(const std::string& name);
/// Throws CommandError if there is no such wallet.
void require_wallet(const CommonOptions& common);
/// Throws CommandError if there is one.
void require_no_wallet(const CommonOptions& common);
/// "; there is one with --network regtest" if another network has a wallet of this name, or with an empty name any
/// wallet at all; else nothing.
std::string wallets_elsewhere(const CommonOptions& common, const std::string& name);

using client::OpenWallet;
/// `Shared` changes what belongs to the user (addresses handed out, labels) beside a running sync.
using store::Access;
/// Throws StoreError (missing, locked, damaged, ...).
OpenWallet open_wallet(const CommonOptions& common, Access access);

}  // namespace spv::cli
