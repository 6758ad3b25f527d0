// What a wallet comes to, as plain values.
#pragma once

#include <cstddef>

#include "chain/types.h"

namespace spv::wallet {

struct Balance {
  chain::Amount confirmed = 0;
  chain::Amount unconfirmed = 0;  // net effect of unconfirmed transactions, may be negative
  chain::Amount immature = 0;
  [[nodiscard]] chain::Amount total() const { return confirmed + unconfirmed + immature; }
  friend bool operator==(const Balance&, const Balance&) = default;
};

/// A balance and what it was computed from, for the store to keep until any of that changes.
struct CountedBalance {
  Balance balance;
  std::size_t transactions = 0;
  chain::Height scanned = -1;
  bool lasts = false;  // more blocks without news do not change it: nothing waits for one
};

}  // namespace spv::wallet
