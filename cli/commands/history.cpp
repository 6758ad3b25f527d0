// `spv history`
#include <algorithm>

#include <boost/json.hpp>

#include "cli/commands/commands.h"
#include "cli/output/json_values.h"
#include "cli/output/report.h"
#include "cli/wallet/label_book.h"
#include "cli/wallet/wallet_file.h"

namespace spv::cli {
namespace {

boost::json::object to_json(const wallet::HistoryEntry& entry, const LabelBook& book) {
  boost::json::object out{{"txid", util::to_string(entry.txid)}};
  const auto& confirmation = entry.confirmation;
  out["height"] = confirmation ? boost::json::value(confirmation->block.height) : nullptr;
  out["block"] = confirmation ? boost::json::value(util::to_string(confirmation->block.hash)) : nullptr;
  out["time"] = time_of(entry);
  out["net_sat"] = entry.net;
  out["fee_sat"] = or_null(entry.fee);
  out["confirmations"] = entry.confirmations;
  out["status"] = to_string(entry.status);
  if (entry.set_apart != wallet::SetApart::No) out["reason"] = to_string(entry.set_apart);
  put_label(out, book.of_tx(entry.txid));
  return out;
}

std::string status_of(const wallet::HistoryEntry& entry) {
  const bool told = entry.set_apart == wallet::SetApart::Forgotten || entry.set_apart == wallet::SetApart::Locked;
  return std::string(told ? to_string(entry.set_apart) : to_string(entry.status));
}

void print_table(const std::vector<wallet::HistoryEntry>& entries, const LabelBook& book) {
  std::vector<std::string> labels;
  Table table({{"time", false},
               {"height", true},
               {"BTC", true},
               {"fee", true, Narrow::Drop},
               {"status", false},
               {"txid", false, Narrow::Shorten}});
  for (const auto& entry : entries) {
    const auto& confirmation = entry.confirmation;
    table.add({local_time(time_of(entry)), confirmation ? std::to_string(confirmation->block.height) : "-",
               to_btc(entry.net), entry.fee ? to_btc(*entry.fee) : "-", status_of(entry), util::to_string(entry.txid)});
    labels.push_back(book.of_tx(entry.txid));
  }
  with_labels(table, labels).print();
}

}  // namespace

ExitCode run(const CommonOptions& common, const HistoryOptions& options) {
  OpenWallet open = open_wallet(common, Access::Read);
  const LabelBook book(open.file);
  auto entries = open.wallet.history();
  // A page: what comes after the newest `offset`.
  entries.erase(entries.begin(),
                entries.begin() + static_cast<std::ptrdiff_t>(std::min(options.offset, entries.size())));
  if (options.limit) entries.resize(std::min(*options.limit, entries.size()));
  if (common.json) {
    boost::json::array list;
    for (const auto& entry : entries) list.push_back(to_json(entry, book));
    print_json({{"transactions", std::move(list)}});
  } else {
    print_table(entries, book);
  }
  return ExitCode::Done;
}

}  // namespace spv::cli
