// What came of a sync.
#pragma once

#include <string>

#include <boost/json/fwd.hpp>

#include "chain/params.h"
#include "client/sync_values.h"
#include "wallet/news.h"
#include "wallet/wallet.h"

namespace spv::report {

/// The result of a sync, and the wallet after it.
struct ShownSync {
  const chain::NetworkParams& params;
  const client::SyncSummary& sync;
  const wallet::Wallet& wallet;
  double seconds = 0;
  wallet::HistorySnapshot before;  // the wallet's history when the sync began
  std::string source;              // as --source has it
};

/// What has happened to the wallet's transactions.
wallet::News news_of(const ShownSync& shown);
/// Of each kind `{"count","net_sat"}`.
boost::json::object news_json(const wallet::News& news);
/// {"address","user_agent","transport","banned"} each.
boost::json::array peers_json(const client::SyncSummary& sync);
/// What the blocks of the sync were scanned by: "filter", "compact", "blocks".
boost::json::array used_sources(const client::SyncSummary& sync);
/// The document of `spv sync`.
boost::json::object sync_json(const ShownSync& shown);

}  // namespace spv::report
