#include "cli/output/sync_report.h"

#include <algorithm>
#include <cmath>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "chain/params.h"
#include "cli/output/amount.h"
#include "cli/output/json_values.h"
#include "cli/output/progress_text.h"
#include "cli/output/report.h"
#include "cli/output/scan_report.h"
#include "client/sync_values.h"
#include "wallet/wallet.h"

namespace spv::cli {
namespace {

namespace json = boost::json;

/// The nearest double to a number of whole milliseconds: it prints as 1.234 and not as 1.2339999999.
double to_milliseconds(double seconds) { return std::round(seconds * 1'000) / 1'000; }

std::string plural(std::uint64_t count, const std::string& what) {
  return grouped(count) + " " + what + (count == 1 ? "" : "s");
}

json::value loaded_filter_json(const client::SyncSummary& sync) {
  if (!sync.filter) return nullptr;
  auto out = filter_json(*sync.filter);
  out.emplace("fp_observed", or_null(client::observed_fp_rate(sync.counts)));
  return out;
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

/// "127.0.0.1:18444 (v2)", ...: the peers that were used, and whether the connection was encrypted.
std::string peers_text(const client::SyncSummary& sync) {
  std::string out;
  for (const auto& peer : sync.peers) {
    if (peer.banned || peer.transport.empty()) continue;
    out += fmt::format("{}{} ({})", out.empty() ? "" : ", ", peer.address, peer.transport);
  }
  return out;
}

// One peer may leave out what another announces: the number of announcers shows how far a payment has spread.
json::array unconfirmed_json(const SyncReport& report) {
  json::array list;
  for (const auto& entry : report.wallet.history()) {
    if (entry.status != wallet::TxStatus::Unconfirmed) continue;
    list.push_back({{"txid", util::to_string(entry.txid)}, {"peers", report.sync.announcers.at(entry.txid)}});
  }
  return list;
}

// Silence proves nothing: a node sends nothing if nothing matches, and may withhold what does.
std::string mempool_text(const client::SyncSummary& sync) {
  std::size_t most = 0;
  for (const auto& [txid, announcers] : sync.announcers) most = std::max(most, announcers);
  if (most > 0) return fmt::format("unconfirmed transactions reported by up to {}", plural(most, "peer"));
  if (!sync.mempool_asked) return "unconfirmed transactions not requested";
  return "no unconfirmed transactions reported (a peer may omit some)";
}

wallet::News news_of(const SyncReport& report) { return report.before.until(report.wallet.history()); }

json::object summary_json(const SyncReport& report) {
  const auto& counters = report.sync.counts;
  const auto tip = report.sync.tip;
  const auto scanned_to = report.wallet.scan().scanned_to.height;
  return {{"network", report.params.name},
          {"height", tip.height},
          {"tip", util::to_string(tip.hash)},
          {"headers_added", report.sync.headers_added},
          {"scanned_from", counters.scanned_from < 0 ? scanned_to : counters.scanned_from},
          {"scanned_to", scanned_to},
          {"source", report.source},
          {"merkleblocks", counters.merkleblocks},
          {"blocks", counters.blocks},
          {"answers", counters.answers},
          {"matched_txs", counters.matched},
          {"relevant_txs", counters.relevant},
          {"false_positives", counters.false_positives},
          {"filter", loaded_filter_json(report.sync)},
          {"rescans", counters.rescans},
          {"asked_again", counters.asked_again},
          {"cross_checked", report.sync.cross_checked},
          {"reorgs", report.sync.reorganisations},
          {"attested", attested_json(report.wallet)},
          {"tip_peers", report.wallet.scan().peers},
          {"unconfirmed", unconfirmed_json(report)},
          {"mempool", report.sync.mempool},
          {"changes", news_json(news_of(report))},
          {"complete", report.sync.complete},
          {"warnings", json::array(report.sync.warnings.begin(), report.sync.warnings.end())},
          {"peers", peers_json(report.sync)},
          {"bytes_in", report.sync.bytes.in},
          {"bytes_out", report.sync.bytes.out},
          {"seconds", to_milliseconds(report.seconds)},
          {"balance", cli::to_json(report.wallet.balance())}};
}

std::string work_text(const SyncReport& report) {
  const auto& counters = report.sync.counts;
  std::string text = fmt::format("synced to block {} in {:.1f} s ({}, {}", report.sync.tip.height, report.seconds,
                                 plural(report.sync.headers_added, "header"),
                                 plural(counters.merkleblocks + counters.blocks, "block"));
  if (counters.rescans > 0) text += ", " + plural(counters.rescans, "rescan");
  if (report.sync.reorganisations > 0) text += ", " + plural(report.sync.reorganisations, "reorg");
  return text + ")";
}

// Compared with what a full node would have read: the same blocks, whole.
std::string data_text(const SyncReport& report) {
  /// Bytes of a transaction on the main chain, on average over its life (some 650 GB in some 1.2e9).
  constexpr std::uint64_t kBytesPerTransaction = 550;
  const auto& counters = report.sync.counts;
  const auto read = report.sync.bytes.in;
  const auto whole = counters.transactions * kBytesPerTransaction + counters.merkleblocks * 80;
  if (whole <= read || counters.blocks > 0) return "read " + bytes_text(read);
  return fmt::format("read {} instead of about {} for whole blocks", bytes_text(read), bytes_text(whole));
}

}  // namespace

std::vector<std::string> news_lines(const wallet::News& news, AmountUnit unit, bool first) {
  if (news.empty()) return {first ? "no transactions found" : "nothing new since the last sync"};
  std::vector<std::string> lines;
  const auto add = [&](const wallet::NewsItem& item, const std::string& what) {
    if (item.count > 0) lines.push_back(fmt::format("{}, {}", what, change_text(item.net, unit)));
  };
  add(news.fresh, plural(news.fresh.count, "new transaction"));
  add(news.confirmed, grouped(news.confirmed.count) + " confirmed");
  add(news.unconfirmed_again, grouped(news.unconfirmed_again.count) + " unconfirmed again");
  add(news.conflicted, grouped(news.conflicted.count) + " conflicted");
  return lines;
}

json::object news_json(const wallet::News& news) {
  const auto item = [](const wallet::NewsItem& each) {
    return json::object{{"count", each.count}, {"net_sat", each.net}};
  };
  return {{"new", item(news.fresh)},
          {"confirmed", item(news.confirmed)},
          {"unconfirmed_again", item(news.unconfirmed_again)},
          {"conflicted", item(news.conflicted)}};
}

void print_sync_summary(const SyncReport& report, bool json) {
  if (json) return print_json(summary_json(report));
  print_line(work_text(report));
  for (const auto& line : news_lines(news_of(report), report.unit, report.first)) print_line(line);
  const auto balance = report.wallet.balance();
  const auto part = [&](chain::Amount amount, const char* what) {
    if (amount != 0) print_line(fmt::format("  {} {}", amount_text(amount, report.unit), what));
  };
  print_line("balance " + amount_with_unit(balance.total(), report.unit));
  part(balance.unconfirmed, "unconfirmed");
  part(balance.immature, "immature");
  print_line(mempool_text(report.sync));
  print_line(attested_text(report.wallet));
  if (const auto peers = peers_text(report.sync); !peers.empty()) print_line("from " + peers);
  print_line(data_text(report));
  for (const auto& warning : report.sync.warnings) print_line("warning: " + warning);
}

}  // namespace spv::cli
