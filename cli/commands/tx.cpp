// `spv tx`: one transaction of the wallet: what it means to the wallet, its block, and whether its proof is stored.
#include <cmath>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/output/amount.h"
#include "cli/output/json_values.h"
#include "cli/output/report.h"
#include "cli/wallet/find_transaction.h"
#include "cli/wallet/label_book.h"
#include "cli/wallet/wallet_file.h"
#include "util/hex.h"
#include "wallet/address.h"
#include "wallet/virtual_size.h"

namespace spv::cli {
namespace {

namespace json = boost::json;

/// What is shown, and what it is looked up in.
struct ShownTx {
  const wallet::Wallet& wallet;
  const wallet::TxRecord& record;
  wallet::HistoryEntry entry;
  const chain::NetworkParams& params;
  std::string label;  // empty: none
};

/// What an input spends; unknown where the wallet does not have the transaction before.
const chain::TxOutput* spent_output(const wallet::Wallet& wallet, const chain::OutPoint& previous) {
  const auto* parent = wallet.find(previous.txid);
  if (parent == nullptr || previous.index >= parent->tx.outputs.size()) return nullptr;
  return &parent->tx.outputs[previous.index];
}

/// Satoshis a virtual byte, to three digits; unknown where the fee or the size is.
std::optional<double> fee_rate_of(const ShownTx& shown) {
  const auto size = wallet::virtual_size(shown.record.tx);
  if (!size || !shown.entry.fee) return std::nullopt;
  return std::round(static_cast<double>(*shown.entry.fee) * 1'000 / static_cast<double>(*size)) / 1'000;
}

/// Address, and whose it is; an input's, where what it spends is not known, may be anybody's.
void add_owner(json::object& out, const ShownTx& shown, const chain::TxOutput* output) {
  if (output == nullptr) {
    out["address"] = nullptr;
    out["mine"] = nullptr;
    out["path"] = nullptr;
    return;
  }
  const auto key = shown.wallet.key_of(output->script_pubkey);
  out["address"] = or_null(wallet::address_of_script(output->script_pubkey, shown.params));
  out["mine"] = key.has_value();
  out["path"] = key ? json::value(shown.wallet.path_of(key->chain, key->index)) : nullptr;
}

json::array inputs_json(const ShownTx& shown) {
  json::array list;
  for (const auto& input : shown.record.tx.inputs) {
    const auto* spent = spent_output(shown.wallet, input.previous);
    json::object out{{"txid", util::to_string(input.previous.txid)},
                     {"vout", input.previous.index},
                     {"sequence", input.sequence},
                     {"amount_sat", spent == nullptr ? json::value(nullptr) : json::value(spent->value)}};
    add_owner(out, shown, spent);
    list.push_back(std::move(out));
  }
  return list;
}

json::array outputs_json(const ShownTx& shown) {
  json::array list;
  for (const auto& output : shown.record.tx.outputs) {
    json::object out{{"vout", list.size()}, {"amount_sat", output.value}};
    add_owner(out, shown, &output);
    out["script"] = util::to_hex(output.script_pubkey);
    list.push_back(std::move(out));
  }
  return list;
}

json::object to_json(const ShownTx& shown) {
  const wallet::TxRecord& record = shown.record;
  const wallet::HistoryEntry& entry = shown.entry;
  json::object out{{"txid", util::to_string(record.txid)}};
  const auto& confirmation = record.confirmation;
  out["status"] = to_string(entry.status);
  if (entry.set_apart != wallet::SetApart::No && entry.set_apart != wallet::SetApart::NotSent) {
    out["reason"] = to_string(entry.set_apart);
  }
  put_sending(out, entry);
  out["replaced_by"] = txid_or_null(entry.replaced_by);
  out["height"] = confirmation ? json::value(confirmation->block.height) : nullptr;
  out["block"] = confirmation ? json::value(util::to_string(confirmation->block.hash)) : nullptr;
  out["block_index"] = confirmation ? json::value(confirmation->index) : nullptr;
  out["time"] = time_of(entry);
  out["confirmations"] = entry.confirmations;
  out["net_sat"] = entry.net;
  out["fee_sat"] = or_null(entry.fee);
  out["vsize"] = or_null(wallet::virtual_size(record.tx));
  out["fee_rate"] = or_null(fee_rate_of(shown));
  out["proof"] = !record.proof.empty();
  out["inputs"] = inputs_json(shown);
  out["outputs"] = outputs_json(shown);
  out["hex"] = util::to_hex(record.tx.serialize());
  put_label(out, shown.label);
  return out;
}

std::string confirmed_text(const wallet::HistoryEntry& entry) {
  return fmt::format("confirmed, {} confirmation{}", entry.confirmations, entry.confirmations == 1 ? "" : "s");
}

void print_facts(const ShownTx& shown, AmountUnit unit) {
  const wallet::TxRecord& record = shown.record;
  const wallet::HistoryEntry& entry = shown.entry;
  const auto& confirmation = record.confirmation;
  Table facts({{"", false}, {"", false, Narrow::Fold}});
  facts.add({"transaction", util::to_string(record.txid)});
  if (!shown.label.empty()) facts.add({"label", shown.label});
  facts.add({"status", confirmation ? confirmed_text(entry) : status_text(entry)});
  if (const auto text = sending_text(entry)) facts.add({"sent", *text});
  if (entry.replaced_by) facts.add({"replaced by", util::to_string(*entry.replaced_by)});
  if (confirmation) {
    facts.add({"block", fmt::format("{}  {}", confirmation->block.height, util::to_string(confirmation->block.hash))});
  }
  facts.add({"time", local_time(time_of(entry))});
  facts.add({"amount", change_text(entry.net, unit)});
  if (entry.fee) {
    const auto rate = fee_rate_of(shown);
    facts.add({"fee", amount_with_unit(*entry.fee, unit) + (rate ? fmt::format(" ({:.1f} sat/vB)", *rate) : "")});
  }
  if (const auto size = wallet::virtual_size(record.tx)) facts.add({"size", fmt::format("{} vB", *size)});
  facts.add({"proof", record.proof.empty() ? "not stored" : "stored (spv proof exports it)"});
  facts.print();
}

void print_parts(const ShownTx& shown, AmountUnit unit) {
  const auto mark = [&](const chain::TxOutput* output) {
    return output != nullptr && shown.wallet.key_of(output->script_pubkey) ? "yours" : "";
  };
  Table parts({{"", false},
               {std::string(unit_name(unit)), true},
               {"", false},
               {"address or outpoint", false, Narrow::Shorten}});
  for (const auto& input : shown.record.tx.inputs) {
    const auto* spent = spent_output(shown.wallet, input.previous);
    parts.add({"in", spent == nullptr ? "?" : amount_text(spent->value, unit), mark(spent),
               util::to_string(input.previous.txid) + ":" + std::to_string(input.previous.index)});
  }
  for (const auto& output : shown.record.tx.outputs) {
    const auto address = wallet::address_of_script(output.script_pubkey, shown.params);
    parts.add({"out", amount_text(output.value, unit), mark(&output),
               address ? *address : "script " + util::to_hex(output.script_pubkey)});
  }
  parts.print();
}

}  // namespace

ExitCode run(const CommonOptions& common, const TxOptions& options) {
  OpenWallet open = open_wallet(common, Access::Read);
  const auto& record = find_transaction(open.wallet, options.txid);
  const ShownTx shown{open.wallet, record, *open.wallet.entry(record.txid), chain::params(common.network),
                      LabelBook(*open.stored).of_tx(record.txid)};
  if (common.json) {
    print_json(to_json(shown));
    return ExitCode::Done;
  }
  print_facts(shown, common.unit);
  print_line("");
  print_parts(shown, common.unit);
  return ExitCode::Done;
}

}  // namespace spv::cli
