// The table of workers, as others see them.
#pragma once

#include <cstdint>
#include <vector>

#include "store/postgres/connection.h"
#include "store/worker_info.h"

namespace spv::store::postgres {

/// Whether this worker shares the wallets and holds the first shard now, by the database's clock.
bool is_leader(Connection& connection, std::int64_t worker);
/// Those that are alive and share the wallets.
std::vector<WorkerInfo> read_workers(Connection& connection);

}  // namespace spv::store::postgres
