// The chain whose tip was told last, in the database.
#pragma once

#include "store/chain_view.h"
#include "store/postgres/connection.h"
#include "util/time.h"

namespace spv::store::postgres {

/// See Store::tell_tip().
void tell_tip(Connection& connection, const ChainView& view, util::UnixTime now);

}  // namespace spv::store::postgres
