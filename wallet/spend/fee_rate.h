// FeeRate: satoshis per 1,000 virtual bytes, as Bitcoin Core counts them. Fees are rounded up, so that a rate that was
// asked for is always reached.
#pragma once

#include <compare>
#include <cstdint>

#include "chain/types.h"

namespace spv::wallet::spend {

/// Four weight units make one virtual byte (BIP141), rounded up.
constexpr std::int64_t virtual_bytes(std::int64_t weight) { return (weight + 3) / 4; }

class FeeRate {
 public:
  constexpr FeeRate() = default;
  /// From satoshis per 1,000 virtual bytes; one sat/vB is 1,000.
  constexpr explicit FeeRate(std::int64_t sat_per_kvb) : sat_per_kvb_(sat_per_kvb) {}

  [[nodiscard]] constexpr std::int64_t sat_per_kvb() const { return sat_per_kvb_; }
  /// What so many virtual bytes cost at least.
  [[nodiscard]] constexpr chain::Amount fee(std::int64_t vbytes) const { return (sat_per_kvb_ * vbytes + 999) / 1000; }
  friend constexpr auto operator<=>(const FeeRate&, const FeeRate&) = default;

 private:
  std::int64_t sat_per_kvb_ = 0;
};

}  // namespace spv::wallet::spend
