// What `spv sync` prints while it runs: the events of --follow, and warnings.
#pragma once

#include "client/sync_values.h"

namespace spv::cli {

/// One line per event, as it happens; events that are not for the user print nothing.
void print_event(const client::SyncEvent& event, bool json);
/// One line on stderr if the event is one that nobody may miss: a reorganisation of more than a hundred blocks, or a
/// clock that is most likely wrong.
void print_warning(const client::SyncEvent& event);

}  // namespace spv::cli
