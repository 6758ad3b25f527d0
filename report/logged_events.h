// Events of the log, as GET /v1/events, its stream and the webhooks show them.
//
// A transaction's "state" is unconfirmed, confirmed, conflicted or forgotten; also locked (a peer sent it, but no block
// may contain it yet: it counts nowhere until unconfirmed or confirmed follows; the server leaves that one out) and
// abandoned (its user gave it up, and
// its coins are free; unconfirmed or confirmed follows if a node has it all the same).
#pragma once

#include <boost/json/fwd.hpp>

#include "chain/params.h"
#include "store/logged_event.h"

namespace spv::report {

/// {"seq","type",…,"time"}.
boost::json::object event_json(const store::LoggedEvent& event, const chain::NetworkParams& params);

}  // namespace spv::report
