// What `spv sync` prints while it runs: the events of --follow, and warnings.
#pragma once

#include <string>

#include <boost/json/fwd.hpp>

#include "cli/options/amount_unit.h"
#include "client/sync_values.h"

namespace spv::cli {

/// The event as JSON (`"event"` names its kind), or as one line for people; empty for events that are not shown.
boost::json::object event_json(const client::SyncEvent& event);
std::string event_text(const client::SyncEvent& event, AmountUnit unit);

/// One line per event, as it happens; events that are not for the user print nothing. Throws CommandError if it cannot
/// be written: whoever follows must not miss one.
void print_event(const client::SyncEvent& event, bool json, AmountUnit unit);
/// One line on stderr if the event is one that nobody may miss: a reorg of more than a hundred blocks, or a clock that
/// is most likely wrong.
void print_warning(const client::SyncEvent& event);

}  // namespace spv::cli
