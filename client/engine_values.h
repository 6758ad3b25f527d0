// The values of sync_values.h and sync_report.h, from what the engine and the driver know.
#pragma once

#include <optional>
#include <vector>

#include "client/sync_report.h"
#include "client/sync_values.h"
#include "net/driver.h"
#include "sync/engine/engine.h"

namespace spv::client {

SyncEvent to_value(const sync::Event& event);
SyncFailure to_value(const sync::Failure& failure);
SyncProgress progress_of(const sync::Engine& engine, const net::Driver& driver);
/// Nothing before a filter is planned.
std::optional<FilterReport> filter_of(const sync::Engine& engine);
std::vector<PeerReport> peers_of(const sync::Engine& engine, const net::Driver& driver, const net::Usage& usage);
/// But for the announcers, which only those know who know the wallets.
SyncSummary summary_of(const sync::Engine& engine, const net::Driver& driver, const chain::BlockRef& tip,
                       util::UnixTime now);

}  // namespace spv::client
