#include "cli/output/sync_report.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/output/amount.h"
#include "cli/output/progress_text.h"
#include "cli/output/report.h"
#include "cli/output/scan_report.h"

namespace spv::cli {
namespace {

std::string plural(std::uint64_t count, const std::string& what) {
  return grouped(count) + " " + what + (count == 1 ? "" : "s");
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

// Silence proves nothing: a node sends nothing if nothing matches, and may withhold what does.
std::string mempool_text(const client::SyncSummary& sync) {
  std::size_t most = 0;
  for (const auto& [txid, announcers] : sync.announcers) most = std::max(most, announcers);
  if (most > 0) return fmt::format("unconfirmed transactions reported by up to {}", plural(most, "peer"));
  if (!sync.mempool_asked) return "unconfirmed transactions not requested";
  return "no unconfirmed transactions reported (a peer may omit some)";
}

std::string work_text(const report::ShownSync& shown) {
  const auto& counters = shown.sync.counts;
  std::string text = fmt::format("synced to block {} in {:.1f} s ({}, {}", shown.sync.tip.height, shown.seconds,
                                 plural(shown.sync.headers_added, "header"),
                                 plural(counters.merkleblocks + counters.compact_filters + counters.blocks, "block"));
  if (counters.rescans > 0) text += ", " + plural(counters.rescans, "rescan");
  if (shown.sync.reorganisations > 0) text += ", " + plural(shown.sync.reorganisations, "reorg");
  return text + ")";
}

// Compared with what a full node would have read: the same blocks, whole.
std::string data_text(const report::ShownSync& shown) {
  /// Bytes of a transaction on the main chain, on average over its life (some 650 GB in some 1.2e9).
  constexpr std::uint64_t kBytesPerTransaction = 550;
  const auto& counters = shown.sync.counts;
  const auto read = shown.sync.bytes.in;
  const auto whole = counters.transactions * kBytesPerTransaction + counters.merkleblocks * 80;
  if (whole <= read || counters.blocks > 0 || counters.compact_filters > 0) return "read " + bytes_text(read);
  return fmt::format("read {} instead of about {} for whole blocks", bytes_text(read), bytes_text(whole));
}

// Why compact filters were used, where nobody asked for them.
std::string source_text(const report::ShownSync& shown) {
  const auto& counters = shown.sync.counts;
  if (counters.compact_filters == 0) return "";
  const std::string why = shown.source == "compact" ? ""
                          : counters.compact_nearby ? " (offered by a node on the local network)"
                                                    : " (no peer with bloom filters was connected)";
  return fmt::format("{} checked by compact block filters{}", plural(counters.compact_filters, "block"), why);
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

void print_sync_summary(const report::ShownSync& sync, AmountUnit unit, bool first) {
  print_line(work_text(sync));
  for (const auto& line : news_lines(news_of(sync), unit, first)) print_line(line);
  const auto balance = sync.wallet.balance();
  const auto part = [&](chain::Amount amount, const char* what) {
    if (amount != 0) print_line(fmt::format("  {} {}", amount_text(amount, unit), what));
  };
  print_line("balance " + amount_with_unit(balance.total(), unit));
  part(balance.unconfirmed, "unconfirmed");
  part(balance.immature, "immature");
  print_line(mempool_text(sync.sync));
  if (const auto source = source_text(sync); !source.empty()) print_line(source);
  print_line(attested_text(sync.wallet));
  if (const auto peers = peers_text(sync.sync); !peers.empty()) print_line("from " + peers);
  print_line(data_text(sync));
  for (const auto& warning : sync.sync.warnings) print_line("warning: " + warning);
}

}  // namespace spv::cli
