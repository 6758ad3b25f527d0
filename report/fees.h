// What peers say about fees.
#pragma once

#include <boost/json/fwd.hpp>

#include "client/sync_values.h"

namespace spv::report {

/// {"floor_sat_per_vb","estimate_sat_per_vb","sources":[…]}; what is not known is null.
boost::json::object fees_json(const client::FeesKnown& fees);

}  // namespace spv::report
