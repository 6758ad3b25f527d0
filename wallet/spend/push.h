// The push of data in a script, in the shortest of its forms, which is the only one that nodes relay.
#pragma once

#include <cstdint>

#include "chain/script_reader.h"
#include "util/bytes.h"
#include "util/ensure.h"

namespace spv::wallet::spend {

/// For signatures, keys and scripts: nothing of a single byte, for which numbers have opcodes, and at most 65,535.
inline void append_push(util::Bytes& script, util::ByteView data) {
  util::ensure(data.size() != 1 && data.size() <= 0xFFFF, "a push is of a key, a signature or a script");
  const auto low = static_cast<std::uint8_t>(data.size() & 0xFFU);
  if (data.size() < chain::op::kPushData1) {
    script.push_back(low);
  } else if (data.size() <= 0xFF) {
    script.insert(script.end(), {chain::op::kPushData1, low});
  } else {
    script.insert(script.end(), {chain::op::kPushData2, low, static_cast<std::uint8_t>(data.size() >> 8U)});
  }
  script.insert(script.end(), data.begin(), data.end());
}

}  // namespace spv::wallet::spend
