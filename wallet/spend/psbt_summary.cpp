#include "wallet/spend/psbt_summary.h"

#include <algorithm>

#include "wallet/spend/psbt_fields.h"

namespace spv::wallet::spend {
namespace {

/// The input as it will be, with signatures of the usual size (low R, DEFAULT) in place of those that are missing;
/// nothing if its script is not understood.
std::optional<chain::TxInput> finished_input(const chain::TxInput& bare, const PsbtMap& map,
                                             const CheckedInput& checked) {
  constexpr std::size_t kEcdsaSize = 71;
  constexpr std::size_t kSchnorrSize = 64;
  chain::TxInput input = bare;
  if (checked.final) {
    input.script_sig = bytes_in(map, psbt_in::kFinalScriptSig);
    input.witness = final_witness_in(map).value_or(std::vector<util::Bytes>{});
    return input;
  }
  if (!checked.solution) return std::nullopt;
  std::vector<KeySignature> signatures = checked.signatures;
  const bool taproot = checked.solution->form == SpendForm::Tr;
  for (const auto& key : checked.solution->keys) {
    auto name = taproot ? util::to_bytes(util::ByteView(checked.solution->script_pubkey).subspan(2)) : key.public_key;
    signatures.push_back({std::move(name), util::Bytes(taproot ? kSchnorrSize : kEcdsaSize)});
  }
  if (!finish_input(input, *checked.solution, signatures)) return std::nullopt;
  return input;
}

std::optional<std::int64_t> signed_size(const Psbt& psbt, const CheckedPsbt& checked) {
  chain::Transaction tx = psbt.tx;
  for (std::size_t i = 0; i < tx.inputs.size(); ++i) {
    auto input = finished_input(tx.inputs[i], psbt.inputs[i], checked.inputs[i]);
    if (!input) return std::nullopt;
    tx.inputs[i] = std::move(*input);
  }
  const std::size_t stripped = tx.serialized_size(chain::Witness::Strip);
  return virtual_bytes(static_cast<std::int64_t>(3 * stripped + tx.serialized_size()));
}

PsbtInputSummary summary_of(const chain::OutPoint& outpoint, const CheckedInput& checked) {
  PsbtInputSummary input{.outpoint = outpoint,
                         .spent = checked.spent,
                         .evidence = checked.evidence,
                         .ours = checked.ours,
                         .key = checked.key,
                         .path = checked.path,
                         .signatures = checked.signatures.size(),
                         .needs = std::nullopt,
                         .final = checked.final};
  if (checked.solution) input.needs = checked.solution->threshold;
  chain::TxInput probe;
  input.complete = input.final || (checked.solution && finish_input(probe, *checked.solution, checked.signatures));
  if (input.final && input.needs) input.signatures = *input.needs;
  return input;
}

void add_fee(PsbtSummary& summary) {
  chain::Amount in = 0;
  chain::Amount out = 0;
  for (const auto& input : summary.inputs) {
    if (!input.spent) return;
    in += input.spent->value;
  }
  for (const auto& output : summary.outputs) out += output.output.value;
  summary.fee = in - out;
  const chain::Amount base = summary.sent > 0 ? summary.sent : out;
  if (base > 0) summary.fee_percent = 100.0 * static_cast<double>(*summary.fee) / static_cast<double>(base);
  // Sums are below 21 million coins, so that this does not overflow.
  if (summary.vsize) summary.fee_rate = FeeRate(*summary.fee * 1000 / *summary.vsize);
}

}  // namespace

Checked check_fee(const PsbtSummary& summary, const Allowed& allowed) {
  if (!summary.fee) return {};
  chain::Amount moved = 0;
  for (const auto& output : summary.outputs) moved += output.output.value;
  return check_fee(*summary.fee, summary.sent > 0 ? summary.sent : moved, allowed);
}

PsbtSummary describe(const Psbt& psbt, const PsbtWallet& wallet, const SignPolicy& policy) {
  CheckedPsbt checked = check_psbt(psbt, wallet, policy);
  PsbtSummary summary;
  summary.version = psbt.version;
  for (std::size_t i = 0; i < checked.inputs.size(); ++i) {
    summary.inputs.push_back(summary_of(psbt.tx.inputs[i].previous, checked.inputs[i]));
  }
  for (std::size_t i = 0; i < checked.outputs.size(); ++i) {
    const CheckedOutput& output = checked.outputs[i];
    summary.outputs.push_back({psbt.tx.outputs[i], output.ours, output.change, output.key, output.path});
    if (!output.ours) summary.sent += psbt.tx.outputs[i].value;
  }
  summary.vsize = signed_size(psbt, checked);
  add_fee(summary);
  const auto is_bad = [](const PsbtError& error) { return error.code == PsbtErrorCode::BadSignature; };
  summary.complete = !summary.inputs.empty() && std::ranges::none_of(checked.problems, is_bad) &&
                     std::ranges::all_of(summary.inputs, [](const auto& input) { return input.complete; });
  for (const auto& problem : checked.problems) summary.warnings.push_back(problem.message);
  std::ranges::move(checked.warnings, std::back_inserter(summary.warnings));
  summary.problems = std::move(checked.problems);
  return summary;
}

}  // namespace spv::wallet::spend
