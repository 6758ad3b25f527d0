#include "cli/commands/spend/spend_report.h"

#include <fmt/format.h>

#include "cli/output/amount.h"
#include "cli/output/report.h"
#include "util/hex.h"
#include "wallet/address.h"

namespace spv::cli {
namespace {

std::string address_text(const util::Bytes& script, const chain::NetworkParams& params) {
  return wallet::address_of_script(script, params).value_or("script " + util::to_hex(script));
}

chain::Amount paid_by(const SpendPlan& plan) {
  chain::Amount sum = 0;
  for (const auto& output : plan.draft.outputs) sum += output.change ? 0 : output.output.value;
  return sum;
}

std::string fee_text(const SpendPlan& plan) {
  const auto& draft = plan.draft;
  std::string text = fmt::format("{} sat, {:.2f} sat/vB", draft.fee, report::fee_rate_of(draft.fee, draft.vsize()));
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

report::ShownPayment shown_payment(const SpendPlan& plan, const SpendView& view) {
  return {.draft = plan.draft,
          .wallet = view.wallet,
          .params = view.params,
          .replaces = plan.replaces,
          .also_replaces = plan.also_replaces,
          .notes = plan.notes};
}

std::string outcome_text(const chain::Txid& txid, const report::SendOutcome& outcome) {
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
