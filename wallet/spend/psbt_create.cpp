// Creating and updating PSBTs: from what our own wallet knows into fields.
#include "wallet/script.h"
#include "wallet/spend/psbt_check.h"
#include "wallet/spend/psbt_fields.h"
#include "wallet/spend/psbt_roles.h"

namespace spv::wallet::spend {
namespace {

using Code = PsbtErrorCode;

/// The field types for a script and its keys, which differ between inputs and outputs.
struct ScriptFields {
  std::uint64_t redeem_script;
  std::uint64_t witness_script;
  std::uint64_t key_path;
  std::uint64_t tap_internal_key;
  std::uint64_t tap_key_path;
};
constexpr ScriptFields kInputFields{psbt_in::kRedeemScript, psbt_in::kWitnessScript, psbt_in::kKeyPath,
                                    psbt_in::kTapInternalKey, psbt_in::kTapKeyPath};
constexpr ScriptFields kOutputFields{psbt_out::kRedeemScript, psbt_out::kWitnessScript, psbt_out::kKeyPath,
                                     psbt_out::kTapInternalKey, psbt_out::kTapKeyPath};

void add_if_absent(PsbtMap& map, std::uint64_t type, util::ByteView key_data, util::Bytes value) {
  if (!map.find(type, key_data)) map.set(type, key_data, std::move(value));
}

void add_solution(PsbtMap& map, const ScriptFields& fields, const Solution& solution) {
  if (solution.is_p2sh()) add_if_absent(map, fields.redeem_script, {}, solution.redeem_script);
  if (solution.is_p2wsh()) add_if_absent(map, fields.witness_script, {}, solution.witness_script);
  const bool taproot = solution.form == SpendForm::Tr;
  for (const auto& key : solution.keys) {
    if (taproot) add_if_absent(map, fields.tap_internal_key, {}, key.public_key);
    if (!key.origin) continue;
    util::Bytes value = encode_origin(*key.origin);
    if (taproot) value.insert(value.begin(), 0);  // in no script of the tree
    add_if_absent(map, taproot ? fields.tap_key_path : fields.key_path, key.public_key, std::move(value));
  }
}

bool is_segwit(const chain::TxOutput& spent, const std::optional<Solution>& solution) {
  return solution ? solution->is_segwit() : as_witness_program(spent.script_pubkey).has_value();
}

/// What is spent: of segwit inputs the output, of all but taproot the transaction that made it.
void add_spent(PsbtMap& map, const chain::TxOutput& spent, const std::optional<Solution>& solution,
               const std::optional<chain::Transaction>& previous) {
  if (previous && !is_taproot(spent.script_pubkey)) {
    add_if_absent(map, psbt_in::kNonWitnessUtxo, {}, previous->serialize(chain::Witness::Strip));
  }
  if (is_segwit(spent, solution)) add_if_absent(map, psbt_in::kWitnessUtxo, {}, encode_output(spent));
}

util::Expected<void, PsbtError> update_input(PsbtMap& map, const chain::OutPoint& outpoint, const std::string& name,
                                             const PsbtWallet& wallet) {
  auto spent = witness_utxo_in(map);
  if (const auto previous = previous_in(map)) spent = previous->outputs[outpoint.index];
  const auto coin = wallet.coin(outpoint);
  if (coin && spent && *spent != coin->output) {
    return psbt_refused(Code::Attack, name +
                                          ": its amount or script is not the one that the wallet has proven; this "
                                          "looks like an attack");
  }
  if (coin) spent = coin->output;
  if (!spent) return {};
  const auto known = wallet.script(spent->script_pubkey);
  const auto solution = known ? known->solution : std::nullopt;
  if (coin) add_spent(map, *spent, solution, coin->previous);
  if (solution) add_solution(map, kInputFields, *solution);
  return {};
}

}  // namespace

util::Expected<Psbt, PsbtError> create_psbt(const Draft& draft, std::uint32_t version) {
  Psbt psbt = new_psbt(draft.tx, version);
  for (std::size_t i = 0; i < draft.inputs.size(); ++i) {
    const DraftInput& input = draft.inputs[i];
    if (!is_taproot(input.spent.script_pubkey) && !input.previous) {
      return psbt_refused(
          Code::NoPrevious,
          psbt_input_name(i) + ": the transaction that it spends from is not known, and signers need it");
    }
    add_spent(psbt.inputs[i], input.spent, input.solution, input.previous);
    if (input.solution) add_solution(psbt.inputs[i], kInputFields, *input.solution);
  }
  for (std::size_t i = 0; i < draft.outputs.size(); ++i) {
    if (draft.outputs[i].solution) add_solution(psbt.outputs[i], kOutputFields, *draft.outputs[i].solution);
  }
  if (auto sound = validate(psbt); !sound) return util::Unexpected{sound.error()};
  return psbt;
}

util::Expected<Psbt, PsbtError> update_psbt(const Psbt& psbt, const PsbtWallet& wallet) {
  Psbt updated = psbt;
  for (std::size_t i = 0; i < psbt.inputs.size(); ++i) {
    if (is_final(psbt.inputs[i])) continue;
    auto done = update_input(updated.inputs[i], psbt.tx.inputs[i].previous, psbt_input_name(i), wallet);
    if (!done) return util::Unexpected{done.error()};
  }
  for (std::size_t i = 0; i < psbt.outputs.size(); ++i) {
    const auto known = wallet.script(psbt.tx.outputs[i].script_pubkey);
    if (known && known->solution) add_solution(updated.outputs[i], kOutputFields, *known->solution);
  }
  if (auto sound = validate(updated); !sound) return util::Unexpected{sound.error()};
  return updated;
}

}  // namespace spv::wallet::spend
