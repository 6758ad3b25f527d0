// What `spv sync` prints at its end.
#pragma once

#include <string>
#include <vector>

#include <boost/json/fwd.hpp>

#include "cli/options/amount_unit.h"
#include "wallet/news.h"

namespace spv::chain {
struct NetworkParams;
}
namespace spv::client {
struct SyncSummary;
}
namespace spv::wallet {
class Wallet;
}

namespace spv::cli {

/// The result of a sync, and the wallet after it.
struct SyncReport {
  const chain::NetworkParams& params;
  const client::SyncSummary& sync;
  const wallet::Wallet& wallet;
  double seconds = 0;
  wallet::HistorySnapshot before;  // the wallet's history when the sync began
  std::string source;              // as --source has it
  AmountUnit unit = AmountUnit::Btc;
  bool first = false;  // nothing was scanned before it
};

/// "2 new transactions, +1.50000000 BTC", "1 confirmed, +0.50000000 BTC", ...; one line saying so if nothing happened.
std::vector<std::string> news_lines(const wallet::News& news, AmountUnit unit, bool first = false);
/// The same for programs: of each kind `{"count","net_sat"}`.
boost::json::object news_json(const wallet::News& news);

void print_sync_summary(const SyncReport& report, bool json);

}  // namespace spv::cli
