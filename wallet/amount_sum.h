// AmountSum: a sum of amounts that anybody may have made up. Anyone can send unconfirmed transactions with any amounts,
// so that a sum is wider than an amount.
#pragma once

#include <algorithm>

#include "chain/types.h"

namespace spv::wallet {

class AmountSum {
 public:
  void add(chain::Amount amount) { total_ += amount; }
  void subtract(chain::Amount amount) { total_ -= amount; }
  /// Within 21 million coins, either way.
  [[nodiscard]] chain::Amount clamped() const {
    return static_cast<chain::Amount>(std::clamp<Wide>(total_, -chain::kMaxMoney, chain::kMaxMoney));
  }

 private:
  __extension__ using Wide = __int128;
  Wide total_ = 0;
};

}  // namespace spv::wallet
