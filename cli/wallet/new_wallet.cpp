#include "cli/wallet/new_wallet.h"

#include "cli/error.h"
#include "cli/options/options.h"
#include "cli/wallet/wallet_file.h"
#include "client/new_wallet.h"

namespace spv::cli {
NewWallet::NewWallet(const CommonOptions& common) : common_(common), path_(wallet_path(common)) {
  if (std::filesystem::exists(std::filesystem::symlink_status(path_))) {
    throw CommandError(ExitCode::Failed, "wallet-exists",
                       "wallet '" + common.wallet + "' already exists; choose another name with -w");
  }
}

void NewWallet::create(std::vector<wallet::KeyChainConfig> chains, std::uint32_t gap_limit, const Birthday& birthday,
                       const std::optional<store::StoredSecret>& secret,
                       const std::optional<wallet::Fingerprint>& fingerprint, const std::function<void()>& show) const {
  client::make_wallet(path_, common_.network, {std::move(chains), gap_limit, birthday, secret, fingerprint}, show);
}

}  // namespace spv::cli
