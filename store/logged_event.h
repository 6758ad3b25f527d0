// LoggedEvent: an event in the log of a store, which has the events of all its wallets in one order.
#pragma once

#include <cstdint>
#include <string>

#include "util/time.h"
#include "wallet/tx_event.h"

namespace spv::store {

/// Number of an event in the log: it only grows, and nothing appears later below one that was read.
using Seq = std::int64_t;

struct LoggedEvent {
  Seq seq = 0;
  std::string wallet;
  util::UnixTime time = 0;  // when it was stored
  wallet::TxEvent event;
};

}  // namespace spv::store
