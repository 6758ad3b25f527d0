// `spv history`
#include "report/history.h"

#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/output/amount.h"
#include "cli/output/csv.h"
#include "cli/output/report.h"
#include "cli/wallet/label_column.h"
#include "cli/wallet/wallet_file.h"

namespace spv::cli {
namespace {

using report::LabelBook;
using report::time_of;

std::string history_height(const wallet::HistoryEntry& entry, const char* unknown) {
  return entry.confirmation ? std::to_string(entry.confirmation->block.height) : unknown;
}

void print_table(const std::vector<wallet::HistoryEntry>& entries, const LabelBook& book, AmountUnit unit) {
  std::vector<std::string> labels;
  Table table({{"time", false},
               {"height", true, Narrow::Drop},
               {std::string(unit_name(unit)), true},
               {"fee", true, Narrow::Drop},
               {"status", false},
               {"txid", false, Narrow::Shorten}});
  for (const auto& entry : entries) {
    table.add({local_time(time_of(entry)), history_height(entry, "-"), amount_text(entry.net, unit),
               entry.fee ? amount_text(*entry.fee, unit) : "-", status_text(entry), util::to_string(entry.txid)});
    labels.push_back(book.of_tx(entry.txid));
  }
  with_labels(table, labels).print();
}

void print_csv(const std::vector<wallet::HistoryEntry>& entries, const LabelBook& book, AmountUnit unit) {
  const std::string in = unit == AmountUnit::Btc ? "" : unit == AmountUnit::Sat ? "_sat" : "_mbtc";
  fmt::print("{}", csv_record({"date", "txid", "height", "amount" + in, "fee" + in, "status", "label"}));
  for (const auto& entry : entries) {
    fmt::print("{}", csv_record({utc_time(time_of(entry)), util::to_string(entry.txid), history_height(entry, ""),
                                 amount_text(entry.net, unit), entry.fee ? amount_text(*entry.fee, unit) : "",
                                 status_text(entry), csv_text(book.of_tx(entry.txid))}));
  }
}

}  // namespace

ExitCode run(const CommonOptions& common, const HistoryOptions& options) {
  if (options.csv && common.json) throw UsageError("--csv and --json exclude each other; choose one");
  OpenWallet open = open_wallet(common, Access::Read);
  const LabelBook book(open.stored->labels());
  auto entries = open.wallet.history();
  // A page: what comes after the newest `offset`.
  entries.erase(entries.begin(),
                entries.begin() + static_cast<std::ptrdiff_t>(std::min(options.offset, entries.size())));
  if (options.limit) entries.resize(std::min(*options.limit, entries.size()));
  if (common.json) {
    boost::json::array list;
    for (const auto& entry : entries) list.push_back(history_row(entry, book));
    print_json({{"transactions", std::move(list)}});
  } else if (options.csv) {
    print_csv(entries, book, common.unit);
  } else {
    print_table(entries, book, common.unit);
  }
  return ExitCode::Done;
}

}  // namespace spv::cli
