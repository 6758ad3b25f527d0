// The lock time of a new transaction: it may not be in a block below the tip, so that nobody gains by mining the last
// block anew for its fee.
#pragma once

#include <cstdint>

#include "chain/types.h"
#include "util/rng.h"
#include "util/time.h"

namespace spv::wallet::spend {

/// The best chain as far as it is known.
struct Tip {
  chain::Height height = -1;
  util::UnixTime time = 0;  // of its header
};

/// A tip older than this says that we are not in sync: its height would single us out.
inline constexpr util::UnixTime kMaxTipAge = util::UnixTime{8} * 3600;

/// The tip's height, in one of ten cases up to 99 lower (as of a transaction that was sent late); zero if the tip is
/// old.
std::uint32_t choose_lock_time(const Tip& tip, util::UnixTime now, util::Rng& rng);

}  // namespace spv::wallet::spend
