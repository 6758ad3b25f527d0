#include "cli/output/sync_report.h"

#include <algorithm>
#include <cmath>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "chain/header_chain.h"
#include "cli/output/progress_text.h"
#include "cli/output/report.h"
#include "cli/output/scan_report.h"
#include "net/driver.h"
#include "sync/engine/engine.h"
#include "wallet/wallet.h"

namespace spv::cli {
namespace {

namespace json = boost::json;

/// The nearest double to a number of whole milliseconds: it prints as 1.234 and not as 1.2339999999.
double to_milliseconds(double seconds) { return std::round(seconds * 1'000) / 1'000; }

std::string plural(std::uint64_t count, const std::string& what) {
  return grouped(count) + " " + what + (count == 1 ? "" : "s");
}

json::value loaded_filter_json(const sync::Engine& engine) {
  const auto& plan = engine.filter();
  if (!plan) return nullptr;
  auto out = filter_json(*plan);
  out.emplace("fp_observed", observed_fp_rate(engine.scan_counters()).value_or(0));
  return out;
}

json::array peers_json(const sync::Engine& engine, const net::Driver& driver) {
  json::array list;
  for (const auto& peer : engine.peers()) {
    list.push_back({{"address", sync::to_string(peer.address)},
                    {"user_agent", peer.user_agent},
                    {"transport", driver.transport(peer.address)},
                    {"banned", peer.banned}});
  }
  return list;
}

/// "127.0.0.1:18444 (v2)", ...: the peers that were used, and whether the connection was encrypted.
std::string peers_text(const sync::Engine& engine, const net::Driver& driver) {
  std::string out;
  for (const auto& peer : engine.peers()) {
    const auto transport = driver.transport(peer.address);
    if (peer.banned || transport.empty()) continue;
    out += fmt::format("{}{} ({})", out.empty() ? "" : ", ", sync::to_string(peer.address), transport);
  }
  return out;
}

// One peer may leave out what another announces: the number of announcers shows how far a payment has spread.
json::array unconfirmed_json(const SyncSummary& summary) {
  json::array list;
  for (const auto& entry : summary.wallet.history()) {
    if (entry.status != wallet::TxStatus::Unconfirmed) continue;
    list.push_back({{"txid", util::to_string(entry.txid)}, {"peers", summary.engine.tellers(entry.txid)}});
  }
  return list;
}

// Silence proves nothing: a node sends nothing if nothing matches, and may withhold what does.
std::string mempool_text(const SyncSummary& summary) {
  std::size_t most = 0;
  for (const auto& entry : summary.wallet.history()) {
    if (entry.status == wallet::TxStatus::Unconfirmed) most = std::max(most, summary.engine.tellers(entry.txid));
  }
  if (most > 0) return fmt::format("payments on their way were told by up to {}", plural(most, "peer"));
  if (summary.engine.mempool() == sync::MempoolState::Skipped) return "payments on their way were not asked for";
  return "no peer told of a payment on its way, which does not mean that there is none";
}

json::object summary_json(const SyncSummary& summary) {
  const auto& counters = summary.engine.scan_counters();
  const auto tip = summary.chain.tip();
  const auto scanned_to = summary.wallet.scan().scanned_to.height;
  return {{"network", summary.params.name},
          {"height", tip.height},
          {"tip", util::to_string(tip.hash)},
          {"headers_added", summary.engine.headers_added()},
          {"scanned_from", counters.scanned_from < 0 ? scanned_to : counters.scanned_from},
          {"scanned_to", scanned_to},
          {"source", summary.source},
          {"merkleblocks", counters.merkleblocks},
          {"blocks", counters.blocks},
          {"matched_txs", counters.matched},
          {"relevant_txs", counters.relevant},
          {"false_positives", counters.false_positives},
          {"filter", loaded_filter_json(summary.engine)},
          {"rescans", counters.rescans},
          {"asked_again", counters.asked_again},
          {"cross_checked", summary.engine.cross_checked()},
          {"reorgs", summary.engine.reorganisations()},
          {"attested", attested_json(summary.wallet)},
          {"tip_peers", summary.wallet.scan().peers},
          {"unconfirmed", unconfirmed_json(summary)},
          {"mempool", to_string(summary.engine.mempool())},
          {"peers", peers_json(summary.engine, summary.driver)},
          {"bytes_in", summary.driver.traffic().bytes_in},
          {"bytes_out", summary.driver.traffic().bytes_out},
          {"seconds", to_milliseconds(summary.seconds)},
          {"balance", cli::to_json(summary.wallet.balance())}};
}

std::string work_text(const SyncSummary& summary) {
  const auto& counters = summary.engine.scan_counters();
  std::string text = fmt::format("synced to block {} in {:.1f} s ({}, {}", summary.chain.height(), summary.seconds,
                                 plural(summary.engine.headers_added(), "header"),
                                 plural(counters.merkleblocks + counters.blocks, "block"));
  if (counters.rescans > 0) text += ", " + plural(counters.rescans, "rescan");
  if (summary.engine.reorganisations() > 0) text += ", " + plural(summary.engine.reorganisations(), "reorganisation");
  return text + ")";
}

std::string news_text(const SyncSummary& summary) {
  const auto transactions = summary.wallet.history().size() - summary.before.transactions;
  const auto change = summary.wallet.balance().total() - summary.before.balance.total();
  if (transactions == 0 && change == 0) return "nothing new since the last sync";
  return fmt::format("{}, {}{} BTC since the last sync", plural(transactions, "new transaction"), change < 0 ? "" : "+",
                     to_btc(change));
}

// Compared with what a full node would have read: the same blocks, whole.
std::string data_text(const SyncSummary& summary) {
  /// Bytes of a transaction on the main chain, on average over its life (some 650 GB in some 1.2e9).
  constexpr std::uint64_t kBytesPerTransaction = 550;
  const auto& counters = summary.engine.scan_counters();
  const auto read = summary.driver.traffic().bytes_in;
  const auto whole = counters.transactions * kBytesPerTransaction + counters.merkleblocks * 80;
  if (whole <= read || counters.blocks > 0) return "read " + bytes_text(read);
  return fmt::format("read {} instead of about {} for whole blocks", bytes_text(read), bytes_text(whole));
}

}  // namespace

void print_sync_summary(const SyncSummary& summary, bool json) {
  if (json) return print_json(summary_json(summary));
  print_line(work_text(summary));
  print_line(news_text(summary));
  const auto balance = summary.wallet.balance();
  print_line(fmt::format("balance {} BTC", to_btc(balance.total())));
  if (balance.unconfirmed != 0) print_line(fmt::format("  of it {} unconfirmed", to_btc(balance.unconfirmed)));
  if (balance.immature != 0) print_line(fmt::format("  of it {} immature", to_btc(balance.immature)));
  print_line(mempool_text(summary));
  print_line(attested_text(summary.wallet));
  if (const auto peers = peers_text(summary.engine, summary.driver); !peers.empty()) print_line("from " + peers);
  print_line(data_text(summary));
}

}  // namespace spv::cli
