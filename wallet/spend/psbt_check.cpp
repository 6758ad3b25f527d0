#include "wallet/spend/psbt_check.h"

#include <algorithm>

#include "util/hash.h"
#include "wallet/script.h"
#include "wallet/spend/input_check.h"
#include "wallet/spend/psbt_fields.h"
#include "wallet/spend/sighash.h"

namespace spv::wallet::spend {
namespace {

using Code = PsbtErrorCode;

std::string path_text(const KeyPath& path) { return "m" + wallet::to_string(path); }

/// Whether a wallet that looks for its coins could come to this path.
bool is_sane(const KeyPath& path) {
  return path.size() <= kMaxSaneDepth && (path.empty() || (path.back() & ~kHardened) <= kMaxSaneIndex);
}

/// The first key of a solution that our seed derives.
const SpendKey* derived_key(const Solution& solution, const PsbtWallet& wallet) {
  const auto found =
      std::ranges::find_if(solution.keys, [&](const SpendKey& key) { return key.origin && wallet.derives(key); });
  return found == solution.keys.end() ? nullptr : &*found;
}

bool commits_to(util::ByteView program, const util::Hash256& hash) { return std::ranges::equal(program, hash.view()); }

/// Scripts that the output does not commit to: whoever put them there wants something else to be signed.
bool has_wrong_script(const PsbtMap& input, util::ByteView script_pubkey) {
  const auto redeem = input.find(psbt_in::kRedeemScript);
  const auto witness = input.find(psbt_in::kWitnessScript);
  const auto p2sh = as_p2sh(script_pubkey);
  if (redeem && (!p2sh || util::hash160(*redeem) != *p2sh)) return true;
  if (!witness) return false;
  const auto program = as_witness_program(redeem ? *redeem : script_pubkey);
  if (!program && p2sh && !redeem) return false;  // the redeem script may still come
  return !program || program->version != 0 || !commits_to(program->program, util::sha256(*witness));
}

chain::Transaction with_final_scripts(const Psbt& psbt) {
  chain::Transaction tx = psbt.tx;
  for (std::size_t i = 0; i < tx.inputs.size(); ++i) {
    tx.inputs[i].script_sig = bytes_in(psbt.inputs[i], psbt_in::kFinalScriptSig);
    tx.inputs[i].witness = final_witness_in(psbt.inputs[i]).value_or(std::vector<util::Bytes>{});
  }
  return tx;
}

/// Checks one PSBT; one use.
class PsbtChecker {
 public:
  PsbtChecker(const Psbt& psbt, const PsbtWallet& wallet, const SignPolicy& policy)
      : psbt_(psbt), wallet_(wallet), policy_(policy) {}

  CheckedPsbt run() {
    for (std::size_t i = 0; i < psbt_.inputs.size(); ++i) check_input(i);
    check_signatures();
    for (std::size_t i = 0; i < psbt_.outputs.size(); ++i) check_output(i);
    check_sums();
    return std::move(out_);
  }

 private:
  void problem(Code code, std::size_t input, const std::string& what) {
    out_.problems.push_back({code, psbt_input_name(input) + ": " + what});
  }
  void warn(std::string text) { out_.warnings.push_back(std::move(text)); }

  void check_input(std::size_t index) {
    CheckedInput input;
    const PsbtMap& map = psbt_.inputs[index];
    input.final = is_final(map);
    find_spent(index, input);
    if (input.spent) {
      find_owner(index, input);
      if (!input.final && has_wrong_script(map, input.spent->script_pubkey)) {
        problem(Code::WrongScript, index, "its redeem or witness script is not the one that the output commits to");
      }
    }
    if (input.ours && !input.final) check_own(index, input);
    out_.inputs.push_back(std::move(input));
  }

  /// What it spends: by the wallet where it knows the coin, else by the file.
  void find_spent(std::size_t index, CheckedInput& input) {
    const PsbtMap& map = psbt_.inputs[index];
    const auto& outpoint = psbt_.tx.inputs[index].previous;
    if (const auto previous = previous_in(map); previous && outpoint.index < previous->outputs.size()) {
      input.spent = previous->outputs[outpoint.index];
      input.evidence = Evidence::Previous;
    } else if (auto claimed = witness_utxo_in(map)) {
      input.spent = std::move(claimed);
      input.evidence = is_taproot(input.spent->script_pubkey) ? Evidence::Committed : Evidence::Claimed;
    }
    const auto coin = wallet_.coin(outpoint);
    if (!coin) return;
    if (input.spent && *input.spent != coin->output) {
      problem(
          Code::Attack, index,
          "its amount or script is not the one that the wallet has proven; this looks like an attack, do not sign it");
    }
    input.spent = coin->output;
    input.evidence = Evidence::Proven;
  }

  void find_owner(std::size_t index, CheckedInput& input) {
    const auto& script = input.spent->script_pubkey;
    if (auto known = wallet_.script(script)) {
      input.ours = true;
      input.key = known->key;
      input.path = std::move(known->path);
      input.solution = std::move(known->solution);
      return;
    }
    input.solution = claimed_solution(psbt_.inputs[index], script, true);
    const SpendKey* key = input.solution ? derived_key(*input.solution, wallet_) : nullptr;
    if (key == nullptr) return;
    input.ours = true;
    input.path = path_text(key->origin->path);
    if (!is_sane(key->origin->path)) warn(psbt_input_name(index) + " is of our key at the unusual path " + input.path);
  }

  /// An input that we may sign.
  void check_own(std::size_t index, const CheckedInput& input) {
    const PsbtMap& map = psbt_.inputs[index];
    // By the script that is proven, not by the fields that taproot inputs have.
    const bool taproot = is_taproot(input.spent->script_pubkey);
    const bool excused = !policy_.require_previous && input.solution && input.solution->is_segwit();
    if (!taproot && !excused && !map.has(psbt_in::kNonWitnessUtxo)) {
      problem(Code::NoPrevious, index,
              "it has no non_witness_utxo, so that its amount could be a lie (CVE-2020-14199); ask for a PSBT with it");
    }
    const auto type = number_in(map, psbt_in::kSighashType);
    if (type && *type != kSighashAll && *type != kSighashDefault) {
      problem(Code::BadSighash, index,
              "it asks for a sighash type other than DEFAULT or ALL, which could be used for "
              "another transaction");
    }
  }

  void check_signatures() {
    const auto spent = spent_outputs(out_);
    const bool all_known = knows_all_inputs(out_);
    const chain::Transaction tx = with_final_scripts(psbt_);
    const SighashData data(tx, spent);
    for (std::size_t i = 0; i < out_.inputs.size(); ++i) {
      const CheckedInput& input = out_.inputs[i];
      if (!input.spent) continue;
      const bool checkable = all_known || !is_taproot(input.spent->script_pubkey);
      if (input.final) {
        const bool invalid = checkable && spend::check_input(data, i).verdict == InputVerdict::Invalid;
        if (invalid) problem(Code::BadSignature, i, "its final script or witness does not verify");
        continue;
      }
      auto signatures = signatures_in(psbt_.inputs[i], input.spent->script_pubkey);
      if (!signatures.empty() && !(checkable && input.solution)) {
        warn(psbt_input_name(i) + " has signatures that cannot be verified here");
        continue;
      }
      for (auto& signature : signatures) check_signature(data, i, std::move(signature));
    }
  }

  void check_signature(const SighashData& data, std::size_t index, KeySignature signature) {
    CheckedInput& input = out_.inputs[index];
    if (!verify_signature(data, index, *input.solution, signature)) {
      problem(Code::BadSignature, index, "it has a signature that does not verify");
      return;
    }
    const bool taproot = input.solution->form == SpendForm::Tr;
    const bool is_all = (taproot && signature.signature.size() == 64) || signature.signature.back() == kSighashAll;
    if (!is_all && input.ours) {
      problem(Code::BadSighash, index, "it has a signature of a sighash type other than DEFAULT or ALL");
    } else if (!is_all) {
      warn(psbt_input_name(index) + " has a signature that does not sign all of the transaction");
    }
    input.signatures.push_back(std::move(signature));
  }

  void check_output(std::size_t index) {
    CheckedOutput output;
    const auto& script = psbt_.tx.outputs[index].script_pubkey;
    if (auto known = wallet_.script(script)) {
      output = {.key = known->key, .path = std::move(known->path), .ours = true, .change = known->change};
    } else {
      check_claim(index, output);
    }
    out_.outputs.push_back(std::move(output));
  }

  /// An output that no descriptor of the wallet derives; the file may claim that it is ours.
  void check_claim(std::size_t index, CheckedOutput& output) {
    const PsbtMap& map = psbt_.outputs[index];
    const auto solution = claimed_solution(map, psbt_.tx.outputs[index].script_pubkey, false);
    const SpendKey* key = solution ? derived_key(*solution, wallet_) : nullptr;
    const std::string name = psbt_output_name(index);
    if (key != nullptr && solution->keys.size() > 1) {
      return warn(name + " is NOT ours alone: other keys than ours may spend it, and this wallet does not know it");
    }
    if (key != nullptr && !is_sane(key->origin->path)) {
      return warn(name + " is NOT taken as ours: its path " + path_text(key->origin->path) +
                  " is beyond all that a wallet "
                  "would find again");
    }
    if (key != nullptr) {
      const KeyPath& path = key->origin->path;
      output.ours = true;
      output.path = path_text(path);
      output.change = path.size() >= 2 && path[path.size() - 2] == 1;
      return warn(name + " is of our seed at " + output.path + ", which this wallet does not watch");
    }
    if (claims_our_key(map)) warn(name + " is NOT ours, though the PSBT says so; it may be a fraud");
  }

  [[nodiscard]] bool claims_our_key(const PsbtMap& output) const {
    const auto ours = [&](const ClaimedKey& key) { return wallet_.is_ours(key.origin.fingerprint); };
    return std::ranges::any_of(claimed_keys(output, psbt_out::kKeyPath), ours) ||
           std::ranges::any_of(claimed_tap_keys(output, psbt_out::kTapKeyPath), ours);
  }

  void check_sums() {
    chain::Amount balance = 0;  // of at most 21 million each, which the parser has checked
    for (std::size_t i = 0; i < out_.inputs.size(); ++i) {
      const CheckedInput& input = out_.inputs[i];
      if (input.spent) balance += input.spent->value;
      if (!input.spent) warn(psbt_input_name(i) + ": it is not known what it spends");
      if (input.evidence == Evidence::Claimed) warn(psbt_input_name(i) + ": its amount is only claimed");
    }
    if (!knows_all_inputs(out_)) return;
    for (const auto& output : psbt_.tx.outputs) balance -= output.value;
    if (balance < 0) out_.problems.push_back({Code::BadAmount, "the outputs of the PSBT exceed its inputs"});
  }

  const Psbt& psbt_;
  const PsbtWallet& wallet_;
  const SignPolicy policy_;
  CheckedPsbt out_;
};

}  // namespace

CheckedPsbt check_psbt(const Psbt& psbt, const PsbtWallet& wallet, const SignPolicy& policy) {
  return PsbtChecker(psbt, wallet, policy).run();
}

std::string_view to_string(Evidence evidence) {
  constexpr std::string_view kNames[] = {"none", "claimed", "committed", "previous-transaction", "proven"};
  return kNames[static_cast<std::size_t>(evidence)];
}

bool is_taproot(util::ByteView script_pubkey) {
  const auto program = as_witness_program(script_pubkey);
  return program && program->version == 1 && program->program.size() == 32;
}

std::vector<KeySignature> signatures_in(const PsbtMap& input, util::ByteView script_pubkey) {
  std::vector<KeySignature> signatures;
  if (is_taproot(script_pubkey)) {
    const auto signature = input.find(psbt_in::kTapKeySignature);
    if (signature) signatures.push_back({util::to_bytes(script_pubkey.subspan(2)), util::to_bytes(*signature)});
    return signatures;
  }
  for (const PsbtField* field : input.all(psbt_in::kPartialSignature)) {
    signatures.push_back({field->key_data, field->value});
  }
  return signatures;
}

std::optional<Solution> claimed_solution(const PsbtMap& map, util::ByteView script_pubkey, bool is_input) {
  std::vector<SpendKey> keys;
  if (is_taproot(script_pubkey)) {
    const auto internal = bytes_in(map, is_input ? psbt_in::kTapInternalKey : psbt_out::kTapInternalKey);
    if (!internal.empty()) keys.push_back({internal, std::nullopt});
    for (auto& claim : claimed_tap_keys(map, is_input ? psbt_in::kTapKeyPath : psbt_out::kTapKeyPath)) {
      if (claim.public_key == internal) keys[0].origin = std::move(claim.origin);
    }
  } else {
    for (auto& claim : claimed_keys(map, is_input ? psbt_in::kKeyPath : psbt_out::kKeyPath)) {
      keys.push_back({std::move(claim.public_key), std::move(claim.origin)});
    }
    if (is_input) {  // a key that has signed is known too
      for (auto& signature : signatures_in(map, script_pubkey)) keys.push_back({signature.public_key, std::nullopt});
    }
  }
  auto solution =
      solve_script(script_pubkey, bytes_in(map, is_input ? psbt_in::kRedeemScript : psbt_out::kRedeemScript),
                   bytes_in(map, is_input ? psbt_in::kWitnessScript : psbt_out::kWitnessScript), keys);
  if (solution || !is_input || !is_taproot(script_pubkey)) return solution;
  // Others may sign by the key of an output that commits to scripts: such a signature is verified by the output key.
  Solution key_path{.form = SpendForm::Tr,
                    .script_pubkey = util::to_bytes(script_pubkey),
                    .redeem_script = {},
                    .witness_script = {},
                    .keys = {}};
  key_path.keys.push_back({util::to_bytes(script_pubkey.subspan(2)), std::nullopt});
  return key_path;
}

std::vector<chain::TxOutput> spent_outputs(const CheckedPsbt& checked) {
  std::vector<chain::TxOutput> spent;
  spent.reserve(checked.inputs.size());
  for (const auto& input : checked.inputs) spent.push_back(input.spent.value_or(chain::TxOutput{}));
  return spent;
}

bool knows_all_inputs(const CheckedPsbt& checked) {
  return std::ranges::all_of(checked.inputs, [](const CheckedInput& input) { return input.spent.has_value(); });
}

}  // namespace spv::wallet::spend
