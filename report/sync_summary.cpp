#include "report/sync_summary.h"

#include <cmath>

#include <boost/json.hpp>

#include "report/balance.h"
#include "report/filter.h"
#include "report/scan.h"
#include "report/values.h"

namespace spv::report {
namespace {

namespace json = boost::json;

/// The nearest double to a number of whole milliseconds: it prints as 1.234 and not as 1.2339999999.
double to_milliseconds(double seconds) { return std::round(seconds * 1'000) / 1'000; }

json::value loaded_filter_json(const client::SyncSummary& sync) {
  if (!sync.filter) return nullptr;
  auto out = filter_json(*sync.filter);
  out.emplace("fp_observed", or_null(client::observed_fp_rate(sync.counts)));
  return out;
}

// One peer may leave out what another announces: the number of announcers shows how far a payment has spread.
json::array unconfirmed_json(const ShownSync& shown) {
  json::array list;
  for (const auto& entry : shown.wallet.history()) {
    if (entry.status != wallet::TxStatus::Unconfirmed) continue;
    list.push_back({{"txid", util::to_string(entry.txid)}, {"peers", shown.sync.announcers.at(entry.txid)}});
  }
  return list;
}

}  // namespace

json::array used_sources(const client::SyncSummary& sync) {
  json::array list;
  if (sync.counts.merkleblocks > 0) list.emplace_back("filter");
  if (sync.counts.compact_filters > 0) list.emplace_back("compact");
  // A block whose compact filter matches comes whole, too.
  if (sync.counts.blocks > 0 && sync.counts.compact_filters == 0) list.emplace_back("blocks");
  return list;
}

wallet::News news_of(const ShownSync& shown) { return shown.before.until(shown.wallet.history()); }

json::object news_json(const wallet::News& news) {
  const auto item = [](const wallet::NewsItem& each) {
    return json::object{{"count", each.count}, {"net_sat", each.net}};
  };
  return {{"new", item(news.fresh)},
          {"confirmed", item(news.confirmed)},
          {"unconfirmed_again", item(news.unconfirmed_again)},
          {"conflicted", item(news.conflicted)}};
}

json::array peers_json(const client::SyncSummary& sync) {
  json::array list;
  for (const auto& peer : sync.peers) {
    list.push_back({{"address", peer.address},
                    {"user_agent", peer.user_agent},
                    {"transport", peer.transport},
                    {"banned", peer.banned}});
  }
  return list;
}

json::object sync_json(const ShownSync& shown) {
  const auto& counters = shown.sync.counts;
  const auto tip = shown.sync.tip;
  const auto scanned_to = shown.wallet.scan().scanned_to.height;
  return {{"network", shown.params.name},
          {"height", tip.height},
          {"tip", util::to_string(tip.hash)},
          {"headers_added", shown.sync.headers_added},
          {"scanned_from", counters.scanned_from < 0 ? scanned_to : counters.scanned_from},
          {"scanned_to", scanned_to},
          {"source", shown.source},
          {"sources", used_sources(shown.sync)},
          {"merkleblocks", counters.merkleblocks},
          {"compact_filters", counters.compact_filters},
          {"blocks", counters.blocks},
          {"answers", counters.answers},
          {"matched_txs", counters.matched},
          {"relevant_txs", counters.relevant},
          {"false_positives", counters.false_positives},
          {"filter", loaded_filter_json(shown.sync)},
          {"rescans", counters.rescans},
          {"asked_again", counters.asked_again},
          {"cross_checked", shown.sync.cross_checked},
          {"reorgs", shown.sync.reorganisations},
          {"attested", attested_json(shown.wallet)},
          {"tip_peers", shown.wallet.scan().peers},
          {"unconfirmed", unconfirmed_json(shown)},
          {"mempool", shown.sync.mempool},
          {"changes", news_json(news_of(shown))},
          {"complete", shown.sync.complete},
          {"warnings", json::array(shown.sync.warnings.begin(), shown.sync.warnings.end())},
          {"peers", peers_json(shown.sync)},
          {"bytes_in", shown.sync.bytes.in},
          {"bytes_out", shown.sync.bytes.out},
          {"seconds", to_milliseconds(shown.seconds)},
          {"balance", balance_json(shown.wallet.balance())}};
}

}  // namespace spv::report
