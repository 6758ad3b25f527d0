// A PSBT as people see it: what it spends, pays and lacks, and what is ours by proof.
#pragma once

#include "chain/params.h"
#include "cli/options/amount_unit.h"
#include "wallet/spend/psbt_summary.h"

namespace spv::cli {

void print_psbt(const wallet::spend::PsbtSummary& summary, const chain::NetworkParams& params, AmountUnit unit);

}  // namespace spv::cli
