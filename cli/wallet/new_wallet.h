// NewWallet: creates the file of a new wallet and never overwrites an existing one.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "cli/wallet/birthday.h"
#include "store/store.h"
#include "wallet/extended_key.h"
#include "wallet/records.h"

namespace spv::cli {

struct CommonOptions;

class NewWallet {
 public:
  /// Throws CommandError if the name is bad or the wallet exists.
  explicit NewWallet(const CommonOptions& common);
  /// Makes the file. Without a secret the wallet is watch-only. `show` is called before the file gets its name: where
  /// it throws, there is no wallet.
  void create(std::vector<wallet::KeyChainConfig> chains, std::uint32_t gap_limit, const Birthday& birthday,
              const std::optional<store::StoredSecret>& secret = std::nullopt,
              const std::optional<wallet::Fingerprint>& fingerprint = std::nullopt,
              const std::function<void()>& show = {}) const;

 private:
  const CommonOptions& common_;
  std::shared_ptr<store::Store> store_;
};

}  // namespace spv::cli
