// What a block may create beyond the fees.
#pragma once

#include "chain/params.h"
#include "chain/types.h"

namespace spv::chain {

constexpr Amount subsidy_at(Height height, const NetworkParams& params) {
  const Height halvings = height / params.halving_interval;
  return halvings >= 64 ? 0 : (50 * kCoin) >> halvings;
}

}  // namespace spv::chain
