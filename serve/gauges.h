// What the metrics show of a client.
#pragma once

#include "client/backend.h"
#include "serve/live/metrics.h"

namespace spv::serve {

/// All but what the server itself knows.
Gauges gauges_of(const client::SyncReport& sync, const client::Backend& backend);

}  // namespace spv::serve
