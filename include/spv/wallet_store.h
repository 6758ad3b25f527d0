// Custom storage for wallets, for programs that do not want them in files: their own database, an encrypted disk.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spv {

/// Stores each wallet as one blob that is replaced as a whole. Without a passphrase it contains the seed. There is no
/// locking: only one client may use a name at a time. Called from any thread. Must not throw.
class WalletStore {
 public:
  WalletStore() = default;
  WalletStore(const WalletStore&) = delete;
  WalletStore& operator=(const WalletStore&) = delete;
  virtual ~WalletStore() = default;

  /// Names of all stored wallets.
  virtual std::vector<std::string> names() = 0;
  /// Not set if the wallet does not exist.
  virtual std::optional<std::vector<std::uint8_t>> read(const std::string& name) = 0;
  /// Creates or replaces a wallet; it must be durable when this returns. False: failed, the previous one is unchanged.
  virtual bool write(const std::string& name, const std::vector<std::uint8_t>& image) = 0;
};

}  // namespace spv
