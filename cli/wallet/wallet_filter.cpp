#include "cli/wallet/wallet_filter.h"

#include "sync/watch/wallet_watcher.h"

namespace spv::cli {

bip37::FilterPlan wallet_filter(wallet::Wallet& wallet) {
  const sync::WalletWatcher watcher(wallet);
  const auto identity = watcher.filter_identity();
  return bip37::plan_filter(watcher.filter_elements(), bip37::kDefaultFpRate, identity.tweak, identity.decoy_seed,
                            bip37::UpdateFlags::All);
}

}  // namespace spv::cli
