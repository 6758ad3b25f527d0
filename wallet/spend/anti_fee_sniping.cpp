#include "wallet/spend/anti_fee_sniping.h"

#include <algorithm>

namespace spv::wallet::spend {

std::uint32_t choose_lock_time(const Tip& tip, util::UnixTime now, util::Rng& rng) {
  // The numbers are drawn in any case: what follows does not depend on the tip.
  const bool late = rng.below(10) == 0;
  const auto lower = static_cast<chain::Height>(rng.below(100));
  if (tip.height < 0 || now - tip.time >= kMaxTipAge) return 0;
  return static_cast<std::uint32_t>(std::max(tip.height - (late ? lower : 0), 0));
}

}  // namespace spv::wallet::spend
