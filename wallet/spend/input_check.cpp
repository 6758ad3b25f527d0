#include "wallet/spend/input_check.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "chain/script_reader.h"
#include "util/hash.h"
#include "wallet/script.h"
#include "wallet/spend/push.h"
#include "wallet/spend/signature.h"

namespace spv::wallet::spend {
namespace {

using Stack = std::vector<util::ByteView>;

constexpr std::size_t kMaxScriptSig = 1'650;   // policy
constexpr std::size_t kMaxRedeemScript = 520;  // consensus: the largest push
constexpr std::size_t kMaxBareKeys = 3;        // policy

constexpr InputCheck kInvalid{InputVerdict::Invalid, false};
constexpr InputCheck kUnknown{InputVerdict::Unknown, false};

enum class SignatureVersion { Legacy, SegwitV0 };

/// What a script_sig pushes; nothing if it does anything else, or pushes in another form than the shortest.
std::optional<Stack> pushes_of(util::ByteView script) {
  Stack out;
  util::Bytes again;
  chain::ScriptReader reader(script);
  while (const auto found = reader.next()) {
    if (found->data.size() == 1 || found->data.size() > kMaxRedeemScript) return std::nullopt;
    out.push_back(found->data);
    append_push(again, found->data);
  }
  if (!std::ranges::equal(script, again)) return std::nullopt;
  return out;
}

/// Checks the signatures of one input by one script.
class ScriptCheck {
 public:
  ScriptCheck(const SighashData& data, std::size_t input, util::ByteView script, SignatureVersion version)
      : data_(data), input_(input), script_(script), version_(version) {}

  /// `stack` is all that stands before the script.
  InputCheck run(const Stack& stack) {
    if (const auto key = as_pay_to_key(script_)) return result(stack.size() == 1 && signed_by(*key, stack[0]));
    if (const auto hash = as_p2pkh(script_)) return key_hash(*hash, stack);
    if (const auto multisig = as_multisig(script_)) return multi(*multisig, stack);
    return kUnknown;
  }

  InputCheck key_hash(const util::Hash160& hash, const Stack& stack) {
    return result(stack.size() == 2 && util::hash160(stack[1]) == hash && signed_by(stack[1], stack[0]));
  }

 private:
  [[nodiscard]] InputCheck result(bool good) const {
    return good ? InputCheck{InputVerdict::Valid, signs_all_} : kInvalid;
  }

  InputCheck multi(const Multisig& multisig, const Stack& stack) {
    if (stack.size() != multisig.threshold + 1 || !stack[0].empty()) return kInvalid;
    if (!std::ranges::all_of(multisig.keys, [&](const auto& key) { return is_standard_key(key); })) return kInvalid;
    // Signatures stand in the order of the keys, so each key is tried once.
    std::size_t next = 1;
    for (const auto& key : multisig.keys) {
      if (next < stack.size() && signed_by(key, stack[next])) ++next;
    }
    return result(next == stack.size());
  }

  /// Nodes look at the form of every key that they try, whether it signed or not.
  [[nodiscard]] bool is_standard_key(util::ByteView key) const {
    if (key.size() == 33) return key[0] == 2 || key[0] == 3;
    return version_ == SignatureVersion::Legacy && key.size() == 65 && key[0] == 4;
  }

  bool signed_by(util::ByteView key, util::ByteView signature) {
    if (signature.empty() || !is_standard_key(key)) return false;
    const std::uint8_t type = signature.back();
    const auto outputs = static_cast<std::uint8_t>(type & ~kSighashAnyoneCanPay);
    if (outputs < kSighashAll || outputs > kSighashSingle) return false;
    const util::Hash256 digest = digest_of_type(type);
    if (!verify_ecdsa(key, digest, signature.first(signature.size() - 1))) return false;
    signs_all_ = signs_all_ && type == kSighashAll;
    return true;
  }

  util::Hash256 digest_of_type(std::uint8_t type) {
    // A multisig asks for the same digest again and again.
    if (!last_ || last_->first != type) {
      last_ = {type, version_ == SignatureVersion::SegwitV0 ? data_.segwit_v0(input_, script_, type)
                                                            : data_.legacy(input_, script_, type)};
    }
    return last_->second;
  }

  const SighashData& data_;
  std::size_t input_;
  util::ByteView script_;
  SignatureVersion version_;
  bool signs_all_ = true;
  std::optional<std::pair<std::uint8_t, util::Hash256>> last_;
};

InputCheck check_taproot(const SighashData& data, std::size_t input, util::ByteView output_key) {
  const auto& witness = data.tx().inputs[input].witness;
  if (witness.empty()) return kInvalid;
  if (witness.size() > 1) return kUnknown;  // by a script, or with an annex
  const util::ByteView signature(witness[0]);
  if (signature.size() != 64 && (signature.size() != 65 || signature[64] == kSighashDefault)) return kInvalid;
  const std::uint8_t type = signature.size() == 64 ? kSighashDefault : signature[64];
  const auto digest = data.taproot(input, type);
  if (!digest || !verify_schnorr(output_key, digest->view(), signature.first(64))) return kInvalid;
  return {InputVerdict::Valid, type == kSighashDefault || type == kSighashAll};
}

InputCheck check_witness_script(const SighashData& data, std::size_t input, util::ByteView hash) {
  const auto& witness = data.tx().inputs[input].witness;
  if (witness.empty()) return kInvalid;
  const util::ByteView script(witness.back());
  if (!std::ranges::equal(util::sha256(script).view(), hash)) return kInvalid;
  const Stack stack(witness.begin(), witness.end() - 1);
  return ScriptCheck(data, input, script, SignatureVersion::SegwitV0).run(stack);
}

/// Version 0, native or inside P2SH.
InputCheck check_program(const SighashData& data, std::size_t input, util::ByteView program) {
  const auto& witness = data.tx().inputs[input].witness;
  if (program.size() == 32) return check_witness_script(data, input, program);
  if (program.size() != 20) return kInvalid;  // BIP141: no other size is ever valid
  util::Hash160 hash{};
  std::ranges::copy(program, hash.begin());
  const util::Bytes script = p2pkh_script(hash);
  const Stack stack(witness.begin(), witness.end());
  return ScriptCheck(data, input, script, SignatureVersion::SegwitV0).key_hash(hash, stack);
}

InputCheck check_script_hash(const SighashData& data, std::size_t input, const util::Hash160& hash) {
  const auto& own = data.tx().inputs[input];
  auto stack = pushes_of(own.script_sig);
  if (!stack || stack->empty()) return kInvalid;
  const util::ByteView redeem = stack->back();
  if (util::hash160(redeem) != hash) return kInvalid;
  stack->pop_back();
  if (const auto program = as_witness_program(redeem)) {
    if (!stack->empty()) return kInvalid;  // BIP141: the one push and nothing else
    return program->version == 0 ? check_program(data, input, program->program) : kUnknown;
  }
  const auto checked = ScriptCheck(data, input, redeem, SignatureVersion::Legacy).run(*stack);
  return checked.verdict == InputVerdict::Valid && !own.witness.empty() ? kInvalid : checked;
}

InputCheck check_bare(const SighashData& data, std::size_t input, util::ByteView script) {
  const auto& own = data.tx().inputs[input];
  const auto multisig = as_multisig(script);
  const bool known = multisig || as_p2pkh(script) || as_pay_to_key(script);
  if (!known || (multisig && multisig->keys.size() > kMaxBareKeys)) return kUnknown;
  const auto stack = pushes_of(own.script_sig);
  if (!stack || !own.witness.empty()) return kInvalid;
  return ScriptCheck(data, input, script, SignatureVersion::Legacy).run(*stack);
}

}  // namespace

InputCheck check_input(const SighashData& data, std::size_t input) {
  if (input >= data.tx().inputs.size() || data.spent().size() != data.tx().inputs.size()) return kInvalid;
  const auto& own = data.tx().inputs[input];
  const util::ByteView script(data.spent()[input].script_pubkey);
  if (own.script_sig.size() > kMaxScriptSig) return kInvalid;
  if (const auto hash = as_p2sh(script)) return check_script_hash(data, input, *hash);
  const auto program = as_witness_program(script);
  if (!program) return check_bare(data, input, script);
  if (!own.script_sig.empty()) return kInvalid;
  if (program->version == 0) return check_program(data, input, program->program);
  if (program->version == 1 && program->program.size() == 32) return check_taproot(data, input, program->program);
  return kUnknown;
}

}  // namespace spv::wallet::spend
