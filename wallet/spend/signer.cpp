#include "wallet/spend/signer.h"

#include <algorithm>

#include "util/ensure.h"
#include "wallet/script.h"
#include "wallet/spend/push.h"
#include "wallet/spend/signature.h"

namespace spv::wallet::spend {
namespace {

/// What a signature of this type signs; nothing for a type that the form does not have.
std::optional<util::Hash256> digest_of(const SighashData& data, std::size_t input, const Solution& solution,
                                       std::uint8_t type) {
  if (solution.form == SpendForm::Tr) return data.taproot(input, type);
  const auto outputs = static_cast<std::uint8_t>(type & ~kSighashAnyoneCanPay);
  if (outputs < kSighashAll || outputs > kSighashSingle) return std::nullopt;
  const util::Bytes code = script_code(solution);
  return solution.is_segwit() ? data.segwit_v0(input, code, type) : data.legacy(input, code, type);
}

/// A solution of another output would sign something that nobody asked for.
bool is_of_input(const SighashData& data, std::size_t input, const Solution& solution) {
  return input < data.tx().inputs.size() && input < data.spent().size() && !solution.keys.empty() &&
         data.spent()[input].script_pubkey == solution.script_pubkey;
}

/// The output key of a taproot solution.
util::ByteView output_key(const Solution& solution) {
  const auto program = as_witness_program(solution.script_pubkey);
  util::ensure(program && program->version == 1 && program->program.size() == 32, "a taproot solution has its output");
  return program->program;
}

std::vector<KeySignature> sign_taproot(const Solution& solution, const SigningKeys& keys, const util::Hash256& digest) {
  const util::ByteView key = output_key(solution);
  const auto signature = keys.schnorr(solution.keys[0], digest);
  if (!signature || !verify_schnorr(key, digest.view(), *signature)) return {};
  return {{util::to_bytes(key), util::to_bytes(*signature)}};
}

std::vector<KeySignature> sign_with_ecdsa(const Solution& solution, const SigningKeys& keys,
                                          const util::Hash256& digest) {
  std::vector<KeySignature> out;
  for (const SpendKey& key : solution.keys) {
    if (out.size() == solution.threshold) break;
    auto signature = keys.ecdsa(key, digest);
    if (!signature || !verify_ecdsa(key.public_key, digest, *signature)) continue;
    signature->push_back(kSighashAll);
    out.push_back({key.public_key, std::move(*signature)});
  }
  return out;
}

/// The signatures in the order of the keys, exactly as many as needed; fewer if some are missing.
std::vector<util::Bytes> in_key_order(const Solution& solution, std::span<const KeySignature> signatures) {
  std::vector<util::Bytes> out;
  for (const SpendKey& key : solution.keys) {
    if (out.size() == solution.threshold) break;
    const util::ByteView wanted =
        solution.form == SpendForm::Tr ? output_key(solution) : util::ByteView(key.public_key);
    const auto found = std::ranges::find_if(
        signatures, [&](const KeySignature& entry) { return std::ranges::equal(entry.public_key, wanted); });
    if (found != signatures.end()) out.push_back(found->signature);
  }
  return out;
}

/// What stands before the scripts, in the order in which it is pushed.
std::vector<util::Bytes> stack_of(const Solution& solution, std::vector<util::Bytes> signatures) {
  if (solution.form == SpendForm::Multi) {
    // OP_CHECKMULTISIG takes one item too many; nodes want it empty (BIP147).
    signatures.insert(signatures.begin(), util::Bytes{});
  } else if (solution.form == SpendForm::Pkh || solution.form == SpendForm::Wpkh) {
    signatures.push_back(solution.keys[0].public_key);
  }
  return signatures;
}

}  // namespace

std::vector<KeySignature> sign_input(const SighashData& data, std::size_t input, const Solution& solution,
                                     const SigningKeys& keys) {
  if (!is_of_input(data, input, solution)) return {};
  const bool taproot = solution.form == SpendForm::Tr;
  const auto digest = digest_of(data, input, solution, taproot ? kSighashDefault : kSighashAll);
  if (!digest) return {};
  return taproot ? sign_taproot(solution, keys, *digest) : sign_with_ecdsa(solution, keys, *digest);
}

bool verify_signature(const SighashData& data, std::size_t input, const Solution& solution,
                      const KeySignature& signature) {
  if (!is_of_input(data, input, solution) || signature.signature.empty()) return false;
  if (solution.form == SpendForm::Tr) {
    const util::ByteView bytes(signature.signature);
    if (!std::ranges::equal(signature.public_key, output_key(solution))) return false;
    if (bytes.size() != 64 && (bytes.size() != 65 || bytes[64] == kSighashDefault)) return false;
    const auto digest = digest_of(data, input, solution, bytes.size() == 64 ? kSighashDefault : bytes[64]);
    return digest && verify_schnorr(signature.public_key, digest->view(), bytes.first(64));
  }
  const auto is_it = [&](const SpendKey& key) { return key.public_key == signature.public_key; };
  if (std::ranges::none_of(solution.keys, is_it)) return false;
  const auto digest = digest_of(data, input, solution, signature.signature.back());
  const util::ByteView der = util::ByteView(signature.signature).first(signature.signature.size() - 1);
  return digest && verify_ecdsa(signature.public_key, *digest, der);
}

bool finish_input(chain::TxInput& input, const Solution& solution, std::span<const KeySignature> signatures) {
  auto found = in_key_order(solution, signatures);
  if (found.empty() || found.size() != solution.threshold) return false;
  auto stack = stack_of(solution, std::move(found));
  input.script_sig.clear();
  input.witness.clear();
  if (solution.is_segwit()) {
    input.witness = std::move(stack);
    if (solution.is_p2wsh()) input.witness.push_back(solution.witness_script);
  } else {
    for (const auto& item : stack) append_push(input.script_sig, item);
  }
  if (solution.is_p2sh()) append_push(input.script_sig, solution.redeem_script);
  return true;
}

}  // namespace spv::wallet::spend
