#include "cli/commands/spend/psbt_report.h"

#include <fmt/format.h>

#include "cli/output/amount.h"
#include "cli/output/report.h"
#include "cli/output/text.h"
#include "util/hex.h"
#include "wallet/address.h"

namespace spv::cli {
namespace {

using wallet::spend::PsbtInputSummary;
using wallet::spend::PsbtOutputSummary;
using wallet::spend::PsbtSummary;

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
