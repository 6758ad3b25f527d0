// DataFolder: where the files of a network lie.
#pragma once

#include <filesystem>

#include "chain/params.h"
#include "store/header_file.h"
#include "wallet/records.h"

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
  /// A file for each wallet.
  [[nodiscard]] std::filesystem::path wallets() const { return folder_ / "wallets"; }
  /// The events of those wallets, in one order.
  [[nodiscard]] std::filesystem::path events() const { return folder_ / "events.sqlite"; }

 private:
  std::filesystem::path folder_;
};

/// Where the header file of a wallet begins: the best built-in start point before its birthday, or genesis. A file that
/// begins above it is made anew from there: headers are fetched again, wallets lose nothing.
store::HeaderBase header_base(const chain::NetworkParams& params, const wallet::WalletConfig& config);

}  // namespace spv::client
