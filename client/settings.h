// The one set of settings: what spv::Options means for the engine and the driver, for `spv sync` as for the library.
#pragma once

#include <optional>
#include <spv/client.h>

#include "chain/params.h"
#include "net/driver.h"
#include "sync/engine/engine.h"

namespace spv::client {

chain::Network to_network(NetworkId id);
/// What makes no sense in these options, if anything does not.
std::optional<Error> complaint(const Options& options);

/// True if compact block filters may be asked for.
bool uses_compact_filters(const Options& options);
/// With `whole_blocks` taken into account.
Source source_of(const Options& options);
/// The library's default where none is given.
double fp_rate_of(const Options& options);
/// Empty where nobody listens.
util::LogSink log_of(const Options& options);

/// `book`: where other peers come from; null: only those of the options are used.
sync::EngineOptions engine_options(const Options& options, const chain::NetworkParams& params, p2p::AddressBook* book);
/// A proxy gets a login of its own each time: no two sessions share a circuit of one that isolates streams.
net::DriverOptions driver_options(const Options& options);

}  // namespace spv::client
