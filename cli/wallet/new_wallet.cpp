#include "cli/wallet/new_wallet.h"

#include "cli/options/options.h"
#include "cli/wallet/wallet_file.h"
#include "client/new_wallet.h"

namespace spv::cli {
NewWallet::NewWallet(const CommonOptions& common) : common_(common), store_(store_of(common)) {
  require_no_wallet(common);
}

void NewWallet::create(std::vector<wallet::KeyChainConfig> chains, std::uint32_t gap_limit, const Birthday& birthday,
                       const std::optional<store::StoredSecret>& secret,
                       const std::optional<wallet::Fingerprint>& fingerprint, const std::function<void()>& show) const {
  client::NewWallet wallet{std::move(chains), gap_limit, birthday, secret, fingerprint};
  store_->create(common_.wallet, client::to_stored(common_.network, std::move(wallet)), show);
}

}  // namespace spv::cli
