#include "cli/commands/spend/psbt_report.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/output/amount.h"
#include "cli/output/json_values.h"
#include "cli/output/report.h"
#include "cli/output/text.h"
#include "util/hex.h"
#include "wallet/address.h"

namespace spv::cli {
namespace {

namespace json = boost::json;
using wallet::spend::PsbtInputSummary;
using wallet::spend::PsbtOutputSummary;
using wallet::spend::PsbtSummary;

json::value text_or_null(const std::string& text) { return text.empty() ? json::value(nullptr) : json::value(text); }

json::object input_json(const PsbtInputSummary& input, const chain::NetworkParams& params) {
  const auto address = input.spent ? wallet::address_of_script(input.spent->script_pubkey, params) : std::nullopt;
  return {{"txid", util::to_string(input.outpoint.txid)},
          {"vout", input.outpoint.index},
          {"amount_sat", input.spent ? json::value(input.spent->value) : json::value(nullptr)},
          {"address", or_null(address)},
          {"path", text_or_null(input.path)},
          {"ours", input.ours},
          {"evidence", to_string(input.evidence)},
          {"signatures", input.signatures},
          {"signatures_needed", or_null(input.needs)},
          {"complete", input.complete}};
}

json::object output_json(const PsbtOutputSummary& output, const chain::NetworkParams& params) {
  return {{"address", or_null(wallet::address_of_script(output.output.script_pubkey, params))},
          {"amount_sat", output.output.value},
          {"change", output.change},
          {"path", text_or_null(output.path)},
          {"ours", output.ours}};
}

std::string fee_text(const PsbtSummary& summary) {
  if (!summary.fee) return "not known: an input does not say what it spends";
  std::string text = fmt::format("{} sat", *summary.fee);
  if (summary.fee_rate) {
    text += fmt::format(", {:.2f} sat/vB", static_cast<double>(summary.fee_rate->sat_per_kvb()) / 1000);
  }
  if (summary.fee_percent) text += fmt::format(", {:.2f}%", *summary.fee_percent);
  return text;
}

std::string input_text(const PsbtInputSummary& input) {
  const std::string signatures = input.complete ? "signed"
                                 : input.needs  ? fmt::format("{} of {} signatures", input.signatures, *input.needs)
                                                : "script not understood";
  return fmt::format("{}:{} ({}{})", util::to_string(input.outpoint.txid), input.outpoint.index,
                     input.ours ? "ours, " : "", signatures);
}

std::string output_text(const PsbtOutputSummary& output, const chain::NetworkParams& params) {
  const auto& script = output.output.script_pubkey;
  const auto address = wallet::address_of_script(script, params).value_or("script " + util::to_hex(script));
  return address + (output.path.empty() ? "" : " " + output.path);
}

}  // namespace

json::object psbt_json(const PsbtSummary& summary, const chain::NetworkParams& params) {
  json::array inputs;
  for (const auto& input : summary.inputs) inputs.push_back(input_json(input, params));
  json::array outputs;
  for (const auto& output : summary.outputs) outputs.push_back(output_json(output, params));
  return {{"version", summary.version},    {"inputs", std::move(inputs)},
          {"outputs", std::move(outputs)}, {"fee_sat", or_null(summary.fee)},
          {"complete", summary.complete},  {"warnings", json::value_from(summary.warnings)}};
}

void print_psbt(const PsbtSummary& summary, const chain::NetworkParams& params, AmountUnit unit) {
  Table table({{""}, {"", true}, {"", false, Narrow::Fold}});
  for (const auto& input : summary.inputs) {
    table.add({"spend", input.spent ? amount_text(input.spent->value, unit) : "?", input_text(input)});
  }
  for (const auto& output : summary.outputs) {
    table.add({output.change ? "change"
               : output.ours ? "ours"
                             : "pay",
               amount_text(output.output.value, unit), output_text(output, params)});
  }
  table.add({"fee", summary.fee ? amount_text(*summary.fee, unit) : "?", fee_text(summary)});
  table.print();
  print_line(fmt::format("PSBT version {}; {}", summary.version,
                         summary.complete ? "all signatures are there" : "signatures are missing"));
  for (const auto& warning : summary.warnings) print_line("warning: " + to_line(warning));
}

}  // namespace spv::cli
