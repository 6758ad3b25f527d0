#include "cli/commands/spend/spend_report.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/output/amount.h"
#include "cli/output/json_values.h"
#include "cli/output/report.h"
#include "util/hex.h"
#include "wallet/address.h"

namespace spv::cli {
namespace {

namespace json = boost::json;
using wallet::spend::DraftInput;
using wallet::spend::DraftOutput;

std::string address_text(const util::Bytes& script, const chain::NetworkParams& params) {
  return wallet::address_of_script(script, params).value_or("script " + util::to_hex(script));
}

json::value path_json(const std::optional<wallet::KeyId>& key, const wallet::Wallet& wallet) {
  if (!key) return nullptr;
  const auto path = wallet.path_of(key->chain, key->index);
  return path.empty() ? json::value(nullptr) : json::value(path);
}

chain::Amount paid_by(const SpendPlan& plan) {
  chain::Amount sum = 0;
  for (const auto& output : plan.draft.outputs) sum += output.change ? 0 : output.output.value;
  return sum;
}

std::string fee_text(const SpendPlan& plan) {
  const auto& draft = plan.draft;
  std::string text = fmt::format("{} sat, {:.2f} sat/vB", draft.fee, fee_rate_of(draft.fee, draft.vsize()));
  const chain::Amount paid = paid_by(plan);
  if (paid > 0) text += fmt::format(", {:.2f}%", 100.0 * static_cast<double>(draft.fee) / static_cast<double>(paid));
  return text;
}

// What the wallet can count on afterwards: all that it has now, less what the payment takes away.
chain::Amount left_after(const SpendPlan& plan, const SpendView& view) {
  chain::Amount left = view.wallet.balance().total();
  for (const auto& input : plan.draft.inputs) left -= input.spent.value;
  for (const auto& output : plan.draft.outputs) left += output.key ? output.output.value : 0;
  return left;
}

}  // namespace

double fee_rate_of(chain::Amount fee, std::int64_t vsize) {
  return vsize == 0 ? 0 : static_cast<double>(fee) / static_cast<double>(vsize);
}

void print_plan(const SpendPlan& plan, const SpendView& view) {
  Table table({{""}, {"", true}, {"", false, Narrow::Fold}});
  const auto amount = [&](chain::Amount sat) { return amount_text(sat, view.unit); };
  for (const auto& output : plan.draft.outputs) {
    if (output.change) continue;
    table.add({"pay", amount(output.output.value), address_text(output.output.script_pubkey, view.params)});
  }
  table.add({"fee", amount(plan.draft.fee), fee_text(plan)});
  for (const auto& output : plan.draft.outputs) {
    if (!output.change) continue;
    table.add({"change", amount(output.output.value), address_text(output.output.script_pubkey, view.params)});
  }
  if (!plan.replaces) {
    table.add({"left", amount(left_after(plan, view)), std::string(unit_name(view.unit)) + " in the wallet"});
  }
  table.print();
  if (plan.replaces) print_line("replaces " + util::to_string(*plan.replaces));
  for (const auto& txid : plan.also_replaces) print_line("also replaces " + util::to_string(txid));
  for (const auto& note : plan.notes) print_line("note: " + note);
}

json::object plan_json(const SpendPlan& plan, const SpendView& view) {
  json::array inputs;
  for (const DraftInput& input : plan.draft.inputs) {
    inputs.push_back({{"txid", util::to_string(input.outpoint.txid)},
                      {"vout", input.outpoint.index},
                      {"amount_sat", input.spent.value},
                      {"address", or_null(wallet::address_of_script(input.spent.script_pubkey, view.params))},
                      {"path", path_json(input.key, view.wallet)}});
  }
  json::array outputs;
  for (const DraftOutput& output : plan.draft.outputs) {
    outputs.push_back({{"address", or_null(wallet::address_of_script(output.output.script_pubkey, view.params))},
                       {"amount_sat", output.output.value},
                       {"change", output.change},
                       {"path", path_json(output.key, view.wallet)}});
  }
  json::object out{{"fee_sat", plan.draft.fee},
                   {"fee_rate", fee_rate_of(plan.draft.fee, plan.draft.vsize())},
                   {"inputs", std::move(inputs)},
                   {"outputs", std::move(outputs)}};
  if (plan.replaces) out["replaces"] = util::to_string(*plan.replaces);
  if (!plan.also_replaces.empty()) {
    json::array also;
    for (const auto& txid : plan.also_replaces) also.push_back(json::value(util::to_string(txid)));
    out["also_replaces"] = std::move(also);
  }
  if (!plan.notes.empty()) out["warnings"] = json::value_from(plan.notes);
  return out;
}

json::object outcome_json(const SpendPlan& plan, const SpendView& view, const chain::Transaction& tx,
                          const SpendOutcome& outcome) {
  json::object out{{"txid", util::to_string(tx.txid())}, {"hex", util::to_hex(tx.serialize())}};
  for (auto& [name, value] : plan_json(plan, view)) out[name] = value;
  const auto vsize = wallet::spend::virtual_bytes(static_cast<std::int64_t>(
      3 * tx.serialized_size(chain::Witness::Strip) + tx.serialized_size(chain::Witness::Include)));
  out["fee_rate"] = fee_rate_of(plan.draft.fee, vsize);
  out["peers_accepted"] = outcome.peers_accepted;
  out["state"] = outcome.state;
  return out;
}

std::string outcome_text(const chain::Txid& txid, const SpendOutcome& outcome) {
  const std::string id = util::to_string(txid);
  if (outcome.state == "accepted") {
    return fmt::format("sent {}: {} other peer{} announced it", id, outcome.peers_accepted,
                       outcome.peers_accepted == 1 ? "" : "s");
  }
  if (outcome.state == "fetched") {
    return fmt::format("sent {}: a peer took it; no other peer has announced it yet (see spv tx)", id);
  }
  if (outcome.state == "uncertain") {
    return fmt::format(
        "no peer took {} yet; it is stored and announced again at the next spv sync (spv abandon frees "
        "its coins)",
        id);
  }
  return fmt::format("{} is not sent", id);
}

}  // namespace spv::cli
