#include "report/transaction.h"

#include <cmath>

#include <boost/json.hpp>

#include "report/history.h"
#include "report/label_book.h"
#include "report/values.h"
#include "util/hex.h"
#include "wallet/address.h"
#include "wallet/virtual_size.h"

namespace spv::report {
namespace {

namespace json = boost::json;

/// Address, and whose it is; an input's, where what it spends is not known, may be anybody's.
void put_owner(json::object& out, const ShownTx& shown, const chain::TxOutput* output) {
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

json::array inputs_of(const ShownTx& shown) {
  json::array list;
  for (const auto& input : shown.record.tx.inputs) {
    const auto* spent = spent_output(shown.wallet, input.previous);
    json::object out{{"txid", util::to_string(input.previous.txid)},
                     {"vout", input.previous.index},
                     {"sequence", input.sequence},
                     {"amount_sat", spent == nullptr ? json::value(nullptr) : json::value(spent->value)}};
    put_owner(out, shown, spent);
    list.push_back(std::move(out));
  }
  return list;
}

json::array outputs_of(const ShownTx& shown) {
  json::array list;
  for (const auto& output : shown.record.tx.outputs) {
    json::object out{{"vout", list.size()}, {"amount_sat", output.value}};
    put_owner(out, shown, &output);
    out["script"] = util::to_hex(output.script_pubkey);
    list.push_back(std::move(out));
  }
  return list;
}

}  // namespace

const chain::TxOutput* spent_output(const wallet::Wallet& wallet, const chain::OutPoint& previous) {
  const auto* parent = wallet.find(previous.txid);
  if (parent == nullptr || previous.index >= parent->tx.outputs.size()) return nullptr;
  return &parent->tx.outputs[previous.index];
}

std::optional<double> fee_rate_of(const ShownTx& shown) {
  const auto size = wallet::virtual_size(shown.record.tx);
  if (!size || !shown.entry.fee) return std::nullopt;
  return std::round(static_cast<double>(*shown.entry.fee) * 1'000 / static_cast<double>(*size)) / 1'000;
}

json::object transaction_json(const ShownTx& shown) {
  const wallet::TxRecord& record = shown.record;
  const wallet::HistoryEntry& entry = shown.entry;
  json::object out{{"txid", util::to_string(record.txid)}};
  const auto& confirmation = record.confirmation;
  out["status"] = to_string(entry.status);
  put_reason(out, entry);
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
  out["inputs"] = inputs_of(shown);
  out["outputs"] = outputs_of(shown);
  out["hex"] = util::to_hex(record.tx.serialize());
  put_label(out, shown.label);
  return out;
}

}  // namespace spv::report
