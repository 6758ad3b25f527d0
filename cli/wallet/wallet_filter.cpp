#include "cli/wallet/wallet_filter.h"

#include "wallet/wallet.h"

namespace spv::cli {

bip37::FilterPlan wallet_filter(const wallet::Wallet& wallet) {
  const auto& identity = wallet.config().filter;
  return bip37::plan_filter(wallet.filter_elements(), bip37::kDefaultFpRate, identity.tweak, identity.decoy_seed,
                            bip37::UpdateFlags::All);
}

}  // namespace spv::cli
