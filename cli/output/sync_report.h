// What `spv sync` prints at its end.
#pragma once

#include <string>
#include <vector>

#include "cli/options/amount_unit.h"
#include "report/sync_summary.h"

namespace spv::cli {

/// "2 new transactions, +1.50000000 BTC", "1 confirmed, +0.50000000 BTC", ...; one line saying so if nothing happened.
/// `first`: nothing was scanned before.
std::vector<std::string> news_lines(const wallet::News& news, AmountUnit unit, bool first = false);

/// For people.
void print_sync_summary(const report::ShownSync& sync, AmountUnit unit, bool first);

}  // namespace spv::cli
