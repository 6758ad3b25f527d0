// WorkerInfo: a running process that follows its share of the wallets of a database.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "chain/types.h"
#include "util/time.h"

namespace spv::store {

struct WorkerInfo {
  std::int64_t id = 0;
  std::string host;
  util::UnixTime started = 0;
  std::size_t wallets = 0;              // that it follows
  std::optional<chain::Height> height;  // the highest block that it has scanned
  util::UnixTime seen = 0;              // when it last renewed its leases
};

}  // namespace spv::store
