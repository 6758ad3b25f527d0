// Where wallets are kept, for programs that do not want them in files: a database of their own, an encrypted disk.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spv {

/// Keeps each wallet as one image that is replaced as a whole. A wallet without a passphrase has its seed in it. Who
/// uses a name is alone with it: nothing here keeps two clients apart. Called from any thread, nothing may be thrown.
class WalletStore {
 public:
  WalletStore() = default;
  WalletStore(const WalletStore&) = delete;
  WalletStore& operator=(const WalletStore&) = delete;
  virtual ~WalletStore() = default;

  /// Of all wallets that are kept.
  virtual std::vector<std::string> names() = 0;
  /// Nothing if there is no such wallet.
  virtual std::optional<std::vector<std::uint8_t>> read(const std::string& name) = 0;
  /// Makes or replaces one; it is safe when this returns. False: it failed, and what was there before still is.
  virtual bool write(const std::string& name, const std::vector<std::uint8_t>& image) = 0;
};

}  // namespace spv
