#include "wallet/spend/input_weight.h"

#include <algorithm>
#include <array>

#include "util/codec.h"
#include "wallet/script.h"

namespace spv::wallet::spend {
namespace {

constexpr std::int64_t kOutpointAndSequence = 36 + 4;
constexpr std::int64_t kSchnorrSize = 64;
/// With the byte of the sighash type.
constexpr std::int64_t kLowRSize = 71;
constexpr std::int64_t kAnyRSize = 72;

std::int64_t length_of_size(std::int64_t size) {
  return static_cast<std::int64_t>(util::compact_size_length(static_cast<std::uint64_t>(size)));
}

/// A push of so many bytes in a script.
std::int64_t push_size(std::int64_t size) {
  if (size <= 75) return 1 + size;
  return size <= 255 ? 2 + size : 3 + size;
}

/// What satisfies the innermost script, each item by its size.
std::vector<std::int64_t> stack_of(const Solution& solution, SignatureSize size) {
  const std::int64_t signature = size == SignatureSize::LowR ? kLowRSize : kAnyRSize;
  const auto key = solution.keys.empty() ? 33 : static_cast<std::int64_t>(solution.keys.front().public_key.size());
  switch (solution.form) {
    case SpendForm::Pk:
      return {signature};
    case SpendForm::Pkh:
    case SpendForm::Wpkh:
      return {signature, key};
    case SpendForm::Tr:
      return {kSchnorrSize};
    case SpendForm::Multi:
      break;
  }
  // OP_CHECKMULTISIG takes one item too many.
  std::vector<std::int64_t> stack(solution.threshold + 1, kAnyRSize);
  stack.front() = 0;
  return stack;
}

InputWeight weigh(std::int64_t script_sig, std::int64_t witness) {
  const std::int64_t base = kOutpointAndSequence + length_of_size(script_sig) + script_sig;
  return {.weight = 4 * base + witness, .segwit = witness > 0};
}

std::int64_t witness_size(const std::vector<std::int64_t>& stack) {
  std::int64_t size = length_of_size(static_cast<std::int64_t>(stack.size()));
  for (const std::int64_t item : stack) size += length_of_size(item) + item;
  return size;
}

/// Whether nodes know that it can never be spent: then it is never dust.
bool is_data(util::ByteView script) { return !script.empty() && script[0] == 0x6A; }

}  // namespace

InputWeight input_weight(const Solution& solution, SignatureSize size) {
  auto stack = stack_of(solution, size);
  const auto redeem = static_cast<std::int64_t>(solution.redeem_script.size());
  const std::int64_t redeem_push = solution.is_p2sh() ? push_size(redeem) : 0;
  if (solution.is_segwit()) {
    if (solution.is_p2wsh()) stack.push_back(static_cast<std::int64_t>(solution.witness_script.size()));
    return weigh(redeem_push, witness_size(stack));
  }
  std::int64_t script_sig = redeem_push;
  for (const std::int64_t item : stack) script_sig += push_size(item);
  return weigh(script_sig, 0);
}

std::optional<InputWeight> input_weight_of_script(util::ByteView script_pubkey) {
  switch (output_kind(script_pubkey)) {
    case OutputKind::P2pkh:
      return weigh(push_size(kAnyRSize) + push_size(33), 0);
    case OutputKind::P2wpkh:
      return weigh(0, witness_size({kAnyRSize, 33}));
    case OutputKind::P2tr:
      return weigh(0, witness_size({kSchnorrSize}));
    case OutputKind::P2sh:
    case OutputKind::P2wsh:
    case OutputKind::Other:
      break;
  }
  return std::nullopt;
}

std::int64_t output_size(util::ByteView script_pubkey) {
  const auto size = static_cast<std::int64_t>(script_pubkey.size());
  return 8 + length_of_size(size) + size;
}

chain::Amount dust_threshold(util::ByteView script_pubkey, FeeRate rate) {
  if (is_data(script_pubkey)) return 0;
  // The input that nodes think of: 148 bytes, with a witness for a quarter of its 107 bytes of script.
  const std::int64_t input = as_witness_program(script_pubkey) ? 32 + 4 + 1 + 107 / 4 + 4 : 148;
  return rate.fee(output_size(script_pubkey) + input);
}

void WeightCount::add_input(const InputWeight& input) {
  ++inputs_;
  input_weight_ += input.weight;
  if (input.segwit) {
    segwit_ = true;
  } else {
    ++legacy_;
  }
}

void WeightCount::add_output(util::ByteView script_pubkey) {
  ++outputs_;
  output_bytes_ += output_size(script_pubkey);
}

std::int64_t WeightCount::weight() const {
  // Version and lock time.
  const std::int64_t frame = 4 + 4 + length_of_size(inputs_) + length_of_size(outputs_);
  // Marker and flag.
  const std::int64_t witnesses = segwit_ ? 2 + legacy_ : 0;
  return 4 * (frame + output_bytes_) + input_weight_ + witnesses;
}

OutputKind output_kind(util::ByteView script_pubkey) {
  if (as_p2pkh(script_pubkey)) return OutputKind::P2pkh;
  if (as_p2sh(script_pubkey)) return OutputKind::P2sh;
  const auto program = as_witness_program(script_pubkey);
  if (!program) return OutputKind::Other;
  if (program->version == 0 && program->program.size() == 20) return OutputKind::P2wpkh;
  if (program->version == 0 && program->program.size() == 32) return OutputKind::P2wsh;
  return program->version == 1 && program->program.size() == 32 ? OutputKind::P2tr : OutputKind::Other;
}

}  // namespace spv::wallet::spend
