// The log of events in the database, and how far its readers have come.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/logged_event.h"
#include "store/postgres/connection.h"

namespace spv::store::postgres {

/// See Store for each of them.
std::vector<LoggedEvent> read_events(Connection& connection, Seq after, std::size_t limit,
                                     const std::optional<std::string>& wallet);
Seq newest_event(Connection& connection);
std::optional<Seq> oldest_event(Connection& connection);
void prune_events(Connection& connection, util::UnixTime before);
Seq consumer_position(Connection& connection, const std::string& consumer);
void acknowledge(Connection& connection, const std::string& consumer, Seq seq);

}  // namespace spv::store::postgres
