// NewWallet: creates the file of a new wallet and never overwrites an existing one.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "cli/wallet/birthday.h"
#include "store/rows.h"
#include "wallet/extended_key.h"
#include "wallet/records.h"

namespace spv::cli {

struct CommonOptions;

class NewWallet {
 public:
  /// Throws CommandError if the name is bad or the wallet exists.
  explicit NewWallet(const CommonOptions& common);
  /// Makes the file. Without a secret the wallet is watch-only.
  void create(std::vector<wallet::KeyChainConfig> chains, std::uint32_t gap_limit, const Birthday& birthday,
              const std::optional<store::StoredSecret>& secret = std::nullopt,
              const std::optional<wallet::Fingerprint>& fingerprint = std::nullopt) const;

 private:
  const CommonOptions& common_;
  std::filesystem::path path_;
};

}  // namespace spv::cli
