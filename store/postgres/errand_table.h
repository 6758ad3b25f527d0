// The table of errands: requests to the worker that holds a wallet's shard.
//
// An errand is taken in a transaction of its own, fenced as a commit is, before the worker sees it. So it is carried
// out once or, if that worker dies, not at all; and who asked knows which errands nobody took.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "store/errand.h"
#include "store/postgres/backend.h"

namespace spv::store::postgres {

/// Throws Constraint if it is too long. Nobody takes it after `timeout`.
ErrandId post_errand(Connection& connection, const std::string& wallet, std::string_view kind, std::string_view body,
                     std::chrono::milliseconds timeout);
/// What has become of it. `last`: whoever asked waits no longer, and if nobody has taken it nobody will. May be
/// repeated.
ErrandReply read_reply(Connection& connection, ErrandId id, bool last);
/// Some of those that wait for this worker, the oldest first.
std::vector<Errand> take_errands(Backend& backend);
void answer_errand(Connection& connection, ErrandId id, std::string_view answer);

}  // namespace spv::store::postgres
