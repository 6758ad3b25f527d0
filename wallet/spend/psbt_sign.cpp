// Signing a PSBT: only after all checks of psbt_check.h, and all inputs of ours or none.
#include <algorithm>

#include "wallet/spend/psbt_check.h"
#include "wallet/spend/psbt_fields.h"
#include "wallet/spend/psbt_roles.h"
#include "wallet/spend/sighash.h"

namespace spv::wallet::spend {
namespace {

using Code = PsbtErrorCode;

/// A taproot input that asks for ALL by name gets it by name; it signs the same as DEFAULT.
std::vector<KeySignature> sign_taproot_all(const SighashData& data, std::size_t input, const Solution& solution,
                                           const SigningKeys& keys) {
  const auto digest = data.taproot(input, kSighashAll);
  const auto made = digest ? keys.schnorr(solution.keys[0], *digest) : std::nullopt;
  if (!made) return {};
  KeySignature signature{util::to_bytes(util::ByteView(solution.script_pubkey).subspan(2)), util::to_bytes(*made)};
  signature.signature.push_back(kSighashAll);
  if (!verify_signature(data, input, solution, signature)) return {};
  return {std::move(signature)};
}

/// How many are new.
std::size_t add_signatures(PsbtMap& map, bool taproot, std::vector<KeySignature> signatures) {
  std::size_t added = 0;
  for (auto& signature : signatures) {
    const std::uint64_t type = taproot ? psbt_in::kTapKeySignature : psbt_in::kPartialSignature;
    const util::ByteView key_data = taproot ? util::ByteView{} : util::ByteView(signature.public_key);
    if (map.find(type, key_data)) continue;
    map.set(type, key_data, std::move(signature.signature));
    ++added;
  }
  return added;
}

/// BIP370: what is signed must not be changed any more.
void clear_modifiable(PsbtMap& global) {
  constexpr std::uint8_t kInputsAndOutputs = 0x03;
  auto flags = bytes_in(global, psbt_global::kTxModifiable);
  if (flags.empty()) return;
  flags[0] = static_cast<std::uint8_t>(flags[0] & ~kInputsAndOutputs);
  global.set(psbt_global::kTxModifiable, std::move(flags));
}

bool signs_nothing(const CheckedPsbt& checked) {
  return std::ranges::none_of(checked.inputs,
                              [](const CheckedInput& input) { return input.ours && !input.signatures.empty(); });
}

}  // namespace

util::Expected<SignedPsbt, PsbtError> sign_psbt(const Psbt& psbt, const PsbtWallet& wallet, const SigningKeys& keys,
                                                const SignPolicy& policy) {
  const CheckedPsbt checked = check_psbt(psbt, wallet, policy);
  if (!checked.problems.empty()) return util::Unexpected{checked.problems.front()};
  const auto spent = spent_outputs(checked);
  const SighashData data(psbt.tx, spent);
  SignedPsbt out{.psbt = psbt, .signatures = 0};
  for (std::size_t i = 0; i < checked.inputs.size(); ++i) {
    const CheckedInput& input = checked.inputs[i];
    if (!input.ours || input.final || !input.solution) continue;
    const bool taproot = input.solution->form == SpendForm::Tr;
    if (taproot && !knows_all_inputs(checked)) {
      return psbt_refused(Code::NoUtxo, psbt_input_name(i) +
                                            ": it is taproot, which signs the amounts of all inputs, and "
                                            "not all are in the PSBT");
    }
    const bool all = taproot && number_in(psbt.inputs[i], psbt_in::kSighashType) == std::uint32_t{kSighashAll};
    auto made = all ? sign_taproot_all(data, i, *input.solution, keys) : sign_input(data, i, *input.solution, keys);
    out.signatures += add_signatures(out.psbt.inputs[i], taproot, std::move(made));
  }
  if (out.signatures == 0 && signs_nothing(checked)) {
    return psbt_refused(Code::NothingToSign, "no input of the PSBT can be signed by the keys of this wallet");
  }
  if (out.signatures != 0) clear_modifiable(out.psbt.global);
  return out;
}

}  // namespace spv::wallet::spend
