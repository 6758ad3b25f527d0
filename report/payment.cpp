#include "report/payment.h"

#include <boost/json.hpp>

#include "report/values.h"
#include "util/hex.h"
#include "wallet/address.h"

namespace spv::report {
namespace {

namespace json = boost::json;

json::value path_json(const std::optional<wallet::KeyId>& key, const wallet::Wallet& wallet) {
  return key ? text_or_null(wallet.path_of(key->chain, key->index)) : json::value(nullptr);
}

json::value address_json(const util::Bytes& script, const ShownPayment& payment) {
  return or_null(wallet::address_of_script(script, payment.params));
}

json::array inputs_json(const ShownPayment& payment) {
  json::array list;
  for (const auto& input : payment.draft.inputs) {
    list.push_back({{"txid", util::to_string(input.outpoint.txid)},
                    {"vout", input.outpoint.index},
                    {"amount_sat", input.spent.value},
                    {"address", address_json(input.spent.script_pubkey, payment)},
                    {"path", path_json(input.key, payment.wallet)}});
  }
  return list;
}

json::array outputs_json(const ShownPayment& payment) {
  json::array list;
  for (const auto& output : payment.draft.outputs) {
    list.push_back({{"address", address_json(output.output.script_pubkey, payment)},
                    {"amount_sat", output.output.value},
                    {"change", output.change},
                    {"path", path_json(output.key, payment.wallet)}});
  }
  return list;
}

json::value change_json(const ShownPayment& payment) {
  for (std::size_t vout = 0; vout < payment.draft.outputs.size(); ++vout) {
    const auto& output = payment.draft.outputs[vout];
    if (!output.change) continue;
    return {{"vout", vout},
            {"address", address_json(output.output.script_pubkey, payment)},
            {"amount_sat", output.output.value},
            {"path", path_json(output.key, payment.wallet)}};
  }
  return nullptr;
}

json::object payment_json(const ShownPayment& payment) {
  const auto& draft = payment.draft;
  json::object out{{"fee_sat", draft.fee},
                   {"fee_rate", fee_rate_of(draft.fee, draft.vsize())},
                   {"inputs", inputs_json(payment)},
                   {"outputs", outputs_json(payment)}};
  if (payment.replaces) out["replaces"] = util::to_string(*payment.replaces);
  if (!payment.also_replaces.empty()) {
    json::array also;
    for (const auto& txid : payment.also_replaces) also.push_back(json::value(util::to_string(txid)));
    out["also_replaces"] = std::move(also);
  }
  if (!payment.notes.empty()) out["warnings"] = json::value_from(payment.notes);
  return out;
}

}  // namespace

std::string_view outcome_state(client::BroadcastState state) {
  using client::BroadcastState;
  switch (state) {
    case BroadcastState::Accepted:
    case BroadcastState::Confirmed:
      return "accepted";
    case BroadcastState::Fetched:
      return "fetched";
    case BroadcastState::Announced:
    case BroadcastState::Uncertain:
      break;
  }
  return "uncertain";
}

double fee_rate_of(chain::Amount fee, std::int64_t vsize) {
  return vsize == 0 ? 0 : static_cast<double>(fee) / static_cast<double>(vsize);
}

json::object draft_json(const ShownPayment& payment, const std::string& psbt) {
  json::object out{{"psbt", psbt}};
  for (auto& [name, value] : payment_json(payment)) out[name] = std::move(value);
  out["change"] = change_json(payment);
  return out;
}

json::object outcome_json(const ShownPayment& payment, const chain::Transaction& tx, const SendOutcome& outcome) {
  json::object out{{"txid", util::to_string(tx.txid())}, {"hex", util::to_hex(tx.serialize())}};
  for (auto& [name, value] : payment_json(payment)) out[name] = std::move(value);
  const auto vsize = wallet::spend::virtual_bytes(static_cast<std::int64_t>(
      3 * tx.serialized_size(chain::Witness::Strip) + tx.serialized_size(chain::Witness::Include)));
  out["fee_rate"] = fee_rate_of(payment.draft.fee, vsize);
  out["peers_accepted"] = outcome.peers_accepted;
  out["state"] = outcome.state;
  return out;
}

json::object broadcast_json(const chain::Txid& txid, const SendOutcome& outcome) {
  return {{"txid", util::to_string(txid)}, {"state", outcome.state}, {"peers_accepted", outcome.peers_accepted}};
}

}  // namespace spv::report
