// `spv tx`: one transaction of the wallet, its block, and whether its proof is stored.
#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/output/json_values.h"
#include "cli/output/report.h"
#include "cli/wallet/find_transaction.h"
#include "cli/wallet/label_book.h"
#include "cli/wallet/wallet_file.h"
#include "util/hex.h"
#include "wallet/address.h"

namespace spv::cli {
namespace {

namespace json = boost::json;

/// What an input spends; unknown where the wallet does not have the transaction before.
std::optional<chain::Amount> spent_amount(const wallet::Wallet& wallet, const chain::OutPoint& previous) {
  const auto* parent = wallet.find(previous.txid);
  if (parent == nullptr || previous.index >= parent->tx.outputs.size()) return std::nullopt;
  return parent->tx.outputs[previous.index].value;
}

json::array inputs_json(const wallet::Wallet& wallet, const chain::Transaction& tx) {
  json::array list;
  for (const auto& input : tx.inputs) {
    list.push_back({{"txid", util::to_string(input.previous.txid)},
                    {"vout", input.previous.index},
                    {"sequence", input.sequence},
                    {"amount_sat", or_null(spent_amount(wallet, input.previous))}});
  }
  return list;
}

json::array outputs_json(const chain::Transaction& tx, const chain::NetworkParams& params) {
  json::array list;
  std::uint32_t index = 0;
  for (const auto& output : tx.outputs) {
    list.push_back({{"vout", index++},
                    {"amount_sat", output.value},
                    {"address", or_null(wallet::address_of_script(output.script_pubkey, params))},
                    {"script", util::to_hex(output.script_pubkey)}});
  }
  return list;
}

json::object to_json(const wallet::Wallet& wallet, const wallet::TxRecord& record, const wallet::HistoryEntry& entry,
                     const chain::NetworkParams& params) {
  json::object out{{"txid", util::to_string(record.txid)}};
  const auto& confirmation = record.confirmation;
  out["status"] = to_string(entry.status);
  out["height"] = confirmation ? json::value(confirmation->block.height) : nullptr;
  out["block"] = confirmation ? json::value(util::to_string(confirmation->block.hash)) : nullptr;
  out["block_index"] = confirmation ? json::value(confirmation->index) : nullptr;
  out["time"] = time_of(entry);
  out["confirmations"] = entry.confirmations;
  out["net_sat"] = entry.net;
  out["fee_sat"] = or_null(entry.fee);
  out["proof"] = !record.proof.empty();
  out["inputs"] = inputs_json(wallet, record.tx);
  out["outputs"] = outputs_json(record.tx, params);
  out["hex"] = util::to_hex(record.tx.serialize());
  return out;
}

void print_text(const wallet::Wallet& wallet, const wallet::TxRecord& record, const wallet::HistoryEntry& entry,
                const chain::NetworkParams& params) {
  const auto& confirmation = record.confirmation;
  Table facts({{"", false}, {"", false}});
  facts.add({"transaction", util::to_string(record.txid)});
  facts.add({"status", confirmation ? fmt::format("confirmed, {} confirmation{}", entry.confirmations,
                                                  entry.confirmations == 1 ? "" : "s")
                                    : std::string(to_string(entry.status))});
  if (confirmation) {
    facts.add({"block", fmt::format("{}  {}", confirmation->block.height, util::to_string(confirmation->block.hash))});
  }
  facts.add({"time", local_time(time_of(entry))});
  facts.add({"effect", to_btc(entry.net) + " BTC"});
  if (entry.fee) facts.add({"fee", to_btc(*entry.fee) + " BTC"});
  facts.add({"proof", record.proof.empty() ? "none stored" : "stored; spv proof writes it to a file"});
  facts.print();
  print_line("");
  Table parts({{"", false}, {"BTC", true}, {"address or outpoint", false}});
  for (const auto& input : record.tx.inputs) {
    const auto amount = spent_amount(wallet, input.previous);
    parts.add({"in", amount ? to_btc(*amount) : "?",
               util::to_string(input.previous.txid) + ":" + std::to_string(input.previous.index)});
  }
  for (const auto& output : record.tx.outputs) {
    const auto address = wallet::address_of_script(output.script_pubkey, params);
    parts.add({"out", to_btc(output.value), address ? *address : "script " + util::to_hex(output.script_pubkey)});
  }
  parts.print();
}

}  // namespace

ExitCode run(const CommonOptions& common, const TxOptions& options) {
  const auto& params = chain::params(common.network);
  OpenWallet open = open_wallet(common, Access::Read);
  const auto label = LabelBook(open.file).of_tx(find_transaction(open.wallet, options.txid).txid);
  const auto& record = find_transaction(open.wallet, options.txid);
  const auto history = open.wallet.history();
  const auto entry =
      std::find_if(history.begin(), history.end(), [&](const auto& each) { return each.txid == record.txid; });
  util::ensure(entry != history.end(), "every transaction held is in the history");
  if (common.json) {
    auto document = to_json(open.wallet, record, *entry, params);
    put_label(document, label);
    print_json(document);
  } else {
    if (!label.empty()) print_line("label        " + label);
    print_text(open.wallet, record, *entry, params);
  }
  return ExitCode::Done;
}

}  // namespace spv::cli
