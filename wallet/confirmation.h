// Where a block holds a transaction.
#pragma once

#include <cstdint>

#include "chain/types.h"

namespace spv::wallet {

struct Confirmation {
  chain::BlockRef block;
  std::uint32_t block_time = 0;
  std::uint32_t index = 0;  // position in the block
  friend bool operator==(const Confirmation&, const Confirmation&) = default;
};

}  // namespace spv::wallet
