// Combining PSBTs of one transaction, finalising it, and taking the transaction out.
#include <algorithm>
#include <map>
#include <utility>

#include "wallet/spend/psbt_check.h"
#include "wallet/spend/psbt_fields.h"
#include "wallet/spend/psbt_roles.h"

namespace spv::wallet::spend {
namespace {

using Code = PsbtErrorCode;

/// Fields of which two values mean that somebody errs or lies.
bool must_agree(PsbtMapKind kind, std::uint64_t type) {
  if (kind == PsbtMapKind::Input) {
    return type == psbt_in::kWitnessUtxo || (type >= psbt_in::kSighashType && type <= psbt_in::kWitnessScript) ||
           (type >= psbt_in::kTapInternalKey && type <= psbt_in::kTapMerkleRoot);
  }
  return kind == PsbtMapKind::Output && (type <= psbt_out::kWitnessScript || type == psbt_out::kTapInternalKey);
}

/// What a finalised input has no use for (BIP174): all but what it spends, the fields of version 2, and the unknown.
bool is_spent_by_finalizing(const PsbtField& field) {
  return (field.type >= psbt_in::kPartialSignature && field.type <= psbt_in::kKeyPath) ||
         (field.type >= psbt_in::kRipemd160 && field.type <= psbt_in::kHash256) ||
         (field.type >= psbt_in::kTapKeySignature && field.type <= psbt_in::kTapMerkleRoot) ||
         (field.type >= psbt_in::kMusigParticipants && field.type <= psbt_in::kMusigPartialSignature);
}

/// Puts the fields of `from` that are not in `into` behind those of their type.
util::Expected<void, PsbtError> merge_map(PsbtMap& into, const PsbtMap& from, PsbtMapKind kind,
                                          const std::string& where) {
  std::map<std::pair<std::uint64_t, util::Bytes>, util::Bytes> known;
  for (const auto& field : into.fields()) known.emplace(std::pair(field.type, field.key_data), field.value);
  std::vector<PsbtField> fields = into.fields();
  for (const auto& field : from.fields()) {
    const auto [at, is_new] = known.emplace(std::pair(field.type, field.key_data), field.value);
    if (is_new) {
      fields.push_back(field);
    } else if (at->second != field.value && must_agree(kind, field.type)) {
      return psbt_refused(Code::Different, "the PSBTs contradict each other in " + where);
    }
  }
  if (fields.size() == into.fields().size()) return {};
  std::ranges::stable_sort(fields, {}, &PsbtField::type);
  into = {};
  for (auto& field : fields) into.append(std::move(field));
  return {};
}

util::Expected<void, PsbtError> merge(Psbt& into, const Psbt& from) {
  auto done = merge_map(into.global, from.global, PsbtMapKind::Global, "the global map");
  for (std::size_t i = 0; done && i < into.inputs.size(); ++i) {
    done = merge_map(into.inputs[i], from.inputs[i], PsbtMapKind::Input, psbt_input_name(i));
  }
  for (std::size_t i = 0; done && i < into.outputs.size(); ++i) {
    done = merge_map(into.outputs[i], from.outputs[i], PsbtMapKind::Output, psbt_output_name(i));
  }
  return done;
}

/// Whether inputs and outputs may still be changed; without the field they may not (BIP370).
unsigned modifiable_flags(const Psbt& psbt) {
  const auto flags = bytes_in(psbt.global, psbt_global::kTxModifiable);
  return flags.empty() ? 0 : flags[0];
}

/// Flags of version 2 that one of them has cleared stay cleared: it has signed.
void merge_modifiable(Psbt& into, const Psbt& from) {
  if (!into.global.has(psbt_global::kTxModifiable) && !from.global.has(psbt_global::kTxModifiable)) return;
  constexpr unsigned kInputsAndOutputs = 0x03;
  const unsigned either = modifiable_flags(into) | modifiable_flags(from);
  const unsigned both = modifiable_flags(into) & modifiable_flags(from);
  const auto kept = static_cast<std::uint8_t>((both & kInputsAndOutputs) | (either & ~kInputsAndOutputs));
  into.global.set(psbt_global::kTxModifiable, util::Bytes{kept});
}

/// "input 1 lacks 1 of 2 signatures"; empty if it is final now.
std::string finish(PsbtMap& map, chain::TxInput& input, const CheckedInput& checked, const std::string& name) {
  if (!checked.spent) return name + " does not say what it spends";
  if (!checked.solution) return name + " has a script that is not understood here";
  const std::size_t needed = checked.solution->threshold;
  const std::size_t have = std::min(needed, checked.signatures.size());
  if (!finish_input(input, *checked.solution, checked.signatures)) {
    return name + " lacks " + std::to_string(needed - have) + " of " + std::to_string(needed) +
           (needed == 1 ? " signature" : " signatures");
  }
  map.erase_if(is_spent_by_finalizing);
  if (!input.script_sig.empty()) map.set(psbt_in::kFinalScriptSig, input.script_sig);
  if (!input.witness.empty()) map.set(psbt_in::kFinalWitness, encode_witness(input.witness));
  return {};
}

}  // namespace

util::Expected<Psbt, PsbtError> combine_psbts(std::span<const Psbt> psbts) {
  if (psbts.empty()) return psbt_refused(Code::Different, "there is no PSBT to combine");
  Psbt combined = psbts.front();
  for (const Psbt& psbt : psbts.subspan(1)) {
    if (psbt.tx != combined.tx) {
      return psbt_refused(Code::Different, "the PSBTs are of different transactions and cannot be combined");
    }
    const Psbt other = to_version(psbt, combined.version);
    merge_modifiable(combined, other);
    if (auto done = merge(combined, other); !done) return util::Unexpected{done.error()};
  }
  for (auto& input : combined.inputs) {
    if (is_final(input)) input.erase_if(is_spent_by_finalizing);
  }
  if (auto sound = validate(combined); !sound) return util::Unexpected{sound.error()};
  return combined;
}

util::Expected<Psbt, PsbtError> finalize_psbt(const Psbt& psbt) {
  const CheckedPsbt checked = check_psbt(psbt, NoPsbtWallet());
  if (!checked.problems.empty()) return util::Unexpected{checked.problems.front()};
  Psbt out = psbt;
  std::string missing;
  for (std::size_t i = 0; i < psbt.inputs.size(); ++i) {
    if (checked.inputs[i].final) continue;
    chain::TxInput input = psbt.tx.inputs[i];
    const std::string reason = finish(out.inputs[i], input, checked.inputs[i], psbt_input_name(i));
    if (!reason.empty()) missing += (missing.empty() ? "" : ", ") + reason;
  }
  if (missing.empty()) return out;
  if (!knows_all_inputs(checked)) missing += " (taproot signatures need what all inputs spend)";
  return psbt_refused(Code::Incomplete, "the PSBT is not complete: " + missing);
}

util::Expected<chain::Transaction, PsbtError> extract_transaction(const Psbt& psbt) {
  chain::Transaction tx = psbt.tx;
  for (std::size_t i = 0; i < psbt.inputs.size(); ++i) {
    if (!is_final(psbt.inputs[i])) {
      return psbt_refused(Code::Incomplete, psbt_input_name(i) + " of the PSBT is not final; finalize it first");
    }
    tx.inputs[i].script_sig = bytes_in(psbt.inputs[i], psbt_in::kFinalScriptSig);
    tx.inputs[i].witness = final_witness_in(psbt.inputs[i]).value_or(std::vector<util::Bytes>{});
  }
  const CheckedPsbt checked = check_psbt(psbt, NoPsbtWallet());
  if (!checked.problems.empty()) return util::Unexpected{checked.problems.front()};
  if (const auto sound = chain::check_structure(tx); !sound) {
    return psbt_refused(Code::BadTransaction,
                        "the PSBT gives no valid transaction: " + std::string(chain::to_string(sound.error())));
  }
  return tx;
}

}  // namespace spv::wallet::spend
