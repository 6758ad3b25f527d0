// A PSBT as programs see it: what it spends, pays and lacks, and what is ours by proof.
#pragma once

#include <boost/json/fwd.hpp>

#include "chain/params.h"
#include "wallet/spend/psbt_summary.h"

namespace spv::report {

/// {"version","inputs":[…],"outputs":[…],"fee_sat","complete","warnings":[…]}
boost::json::object psbt_json(const wallet::spend::PsbtSummary& summary, const chain::NetworkParams& params);

}  // namespace spv::report
