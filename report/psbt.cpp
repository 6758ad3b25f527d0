#include "report/psbt.h"

#include <boost/json.hpp>

#include "report/values.h"
#include "wallet/address.h"

namespace spv::report {
namespace {

namespace json = boost::json;
using wallet::spend::PsbtInputSummary;
using wallet::spend::PsbtOutputSummary;

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

}  // namespace

json::object psbt_json(const wallet::spend::PsbtSummary& summary, const chain::NetworkParams& params) {
  json::array inputs;
  for (const auto& input : summary.inputs) inputs.push_back(input_json(input, params));
  json::array outputs;
  for (const auto& output : summary.outputs) outputs.push_back(output_json(output, params));
  return {{"version", summary.version},    {"inputs", std::move(inputs)},
          {"outputs", std::move(outputs)}, {"fee_sat", or_null(summary.fee)},
          {"complete", summary.complete},  {"warnings", json::value_from(summary.warnings)}};
}

}  // namespace spv::report
