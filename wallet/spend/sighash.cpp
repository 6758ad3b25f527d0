#include "wallet/spend/sighash.h"

#include "chain/script_reader.h"
#include "util/codec.h"
#include "util/ensure.h"
#include "util/hash.h"

namespace spv::wallet::spend {
namespace {

constexpr std::uint8_t kCodeSeparator = 0xAB;
constexpr std::size_t kBlankInputSize = chain::OutPoint::kSize + 1 + 4;

/// What of the outputs is signed; legacy and BIP143 look at five bits.
constexpr std::uint32_t base_type(std::uint32_t type) { return type & 0x1FU; }
constexpr bool is_anyone_can_pay(std::uint32_t type) { return (type & kSighashAnyoneCanPay) != 0; }
constexpr bool signs_all_outputs(std::uint32_t type) {
  return base_type(type) != kSighashNone && base_type(type) != kSighashSingle;
}

void write_output(util::Writer& out, const chain::TxOutput& output) {
  out.integer(output.value).var_bytes(output.script_pubkey);
}

util::Bytes encoded_output(const chain::TxOutput& output) {
  util::Writer out;
  write_output(out, output);
  return out.take();
}

/// Consensus: the operation is no part of what a legacy signature signs.
util::Bytes without_code_separators(util::ByteView script) {
  util::Bytes out;
  out.reserve(script.size());
  chain::ScriptReader reader(script);
  std::size_t copied = 0;
  while (const auto found = reader.next()) {
    const std::size_t end = script.size() - reader.remaining();
    if (found->code != kCodeSeparator) continue;
    out.insert(out.end(), script.begin() + static_cast<std::ptrdiff_t>(copied),
               script.begin() + static_cast<std::ptrdiff_t>(end - 1));
    copied = end;
  }
  out.insert(out.end(), script.begin() + static_cast<std::ptrdiff_t>(copied), script.end());
  return out;
}

/// The inputs of a legacy digest of a type other than ALL.
void write_legacy_inputs(util::Writer& out, const chain::Transaction& tx, std::size_t input, util::ByteView script,
                         std::uint32_t type) {
  const bool alone = is_anyone_can_pay(type);
  out.compact_size(alone ? 1 : tx.inputs.size());
  for (std::size_t i = alone ? input : 0; i < (alone ? input + 1 : tx.inputs.size()); ++i) {
    const bool keeps_sequence = i == input || signs_all_outputs(type);
    out.bytes(tx.inputs[i].previous.bytes());
    out.var_bytes(i == input ? script : util::ByteView{});
    out.integer(keeps_sequence ? tx.inputs[i].sequence : std::uint32_t{0});
  }
}

void write_legacy_outputs(util::Writer& out, const chain::Transaction& tx, std::size_t input, std::uint32_t type) {
  if (base_type(type) == kSighashNone) {
    out.compact_size(0);
    return;
  }
  out.compact_size(input + 1);
  for (std::size_t i = 0; i < input; ++i) out.integer(std::int64_t{-1}).compact_size(0);
  write_output(out, tx.outputs[input]);
}

util::Bytes number_bytes(std::uint32_t number) { return util::Writer().integer(number).take(); }
util::Bytes count_bytes(std::size_t count) { return util::Writer().compact_size(count).take(); }

util::Hash256 hash_again(const util::Hash256& hash) { return util::sha256(hash.view()); }

bool is_taproot_type(std::uint8_t type) {
  return type <= kSighashSingle || (type > kSighashAnyoneCanPay && type <= (kSighashAnyoneCanPay | kSighashSingle));
}

}  // namespace

SighashData::SighashData(const chain::Transaction& tx, std::span<const chain::TxOutput> spent)
    : tx_(tx), spent_(spent) {
  util::Writer blank(tx.inputs.size() * kBlankInputSize);
  util::Sha256 outpoints;
  util::Sha256 sequences;
  for (const auto& input : tx.inputs) {
    const auto outpoint = input.previous.bytes();
    outpoints.write(outpoint);
    sequences.write(number_bytes(input.sequence));
    blank.bytes(outpoint).compact_size(0).integer(input.sequence);
  }
  blank_inputs_ = blank.take();
  util::Writer outputs;
  for (const auto& output : tx.outputs) write_output(outputs, output);
  outputs_ = outputs.take();
  util::Sha256 amounts;
  util::Sha256 scripts;
  for (const auto& output : spent) {
    amounts.write(util::Writer().integer(output.value).take());
    scripts.write(util::Writer().var_bytes(output.script_pubkey).take());
  }
  shared_ = {outpoints.finish(), amounts.finish(), scripts.finish(), sequences.finish(), util::sha256(outputs_)};
}

util::Hash256 SighashData::legacy(std::size_t input, util::ByteView script_code, std::uint32_t type) const {
  util::ensure(input < tx_.inputs.size(), "a digest is of an input that is there");
  if (base_type(type) == kSighashSingle && input >= tx_.outputs.size()) return {{1}};
  const util::Bytes script = without_code_separators(script_code);
  util::Sha256 hash;
  hash.write(number_bytes(static_cast<std::uint32_t>(tx_.version)));
  if (signs_all_outputs(type) && !is_anyone_can_pay(type)) {
    // All but one input are the same for every digest: no need to write them anew for each.
    const util::ByteView blank(blank_inputs_);
    const std::size_t at = input * kBlankInputSize;
    hash.write(count_bytes(tx_.inputs.size())).write(blank.first(at + chain::OutPoint::kSize));
    hash.write(count_bytes(script.size())).write(script).write(blank.subspan(at + chain::OutPoint::kSize + 1));
  } else {
    util::Writer inputs;
    write_legacy_inputs(inputs, tx_, input, script, type);
    hash.write(inputs.data());
  }
  if (signs_all_outputs(type)) {
    hash.write(count_bytes(tx_.outputs.size())).write(outputs_);
  } else {
    util::Writer outputs;
    write_legacy_outputs(outputs, tx_, input, type);
    hash.write(outputs.data());
  }
  return hash.write(number_bytes(tx_.lock_time)).write(number_bytes(type)).finish_double();
}

util::Hash256 SighashData::segwit_v0(std::size_t input, util::ByteView script_code, std::uint32_t type) const {
  util::ensure(input < tx_.inputs.size() && input < spent_.size(), "a digest is of an input with its output");
  const bool alone = is_anyone_can_pay(type);
  util::Hash256 outputs;
  if (signs_all_outputs(type)) {
    outputs = hash_again(shared_.outputs);
  } else if (base_type(type) == kSighashSingle && input < tx_.outputs.size()) {
    outputs = util::sha256d(encoded_output(tx_.outputs[input]));
  }
  const chain::TxInput& own = tx_.inputs[input];
  util::Writer out;
  out.integer(tx_.version);
  out.hash(alone ? util::Hash256{} : hash_again(shared_.outpoints));
  out.hash(alone || !signs_all_outputs(type) ? util::Hash256{} : hash_again(shared_.sequences));
  out.bytes(own.previous.bytes()).var_bytes(script_code).integer(spent_[input].value).integer(own.sequence);
  out.hash(outputs).integer(tx_.lock_time).integer(type);
  return util::sha256d(out.data());
}

std::optional<util::Hash256> SighashData::taproot(std::size_t input, std::uint8_t type,
                                                  std::optional<util::ByteView> annex) const {
  util::ensure(input < tx_.inputs.size(), "a digest is of an input that is there");
  if (spent_.size() != tx_.inputs.size() || !is_taproot_type(type)) return std::nullopt;
  const bool single = base_type(type) == kSighashSingle;
  if (single && input >= tx_.outputs.size()) return std::nullopt;
  util::Writer out;
  out.integer(std::uint8_t{0}).integer(type).integer(tx_.version).integer(tx_.lock_time);
  if (!is_anyone_can_pay(type)) {
    out.hash(shared_.outpoints).hash(shared_.amounts).hash(shared_.scripts).hash(shared_.sequences);
  }
  if (signs_all_outputs(type)) out.hash(shared_.outputs);
  out.integer(static_cast<std::uint8_t>(annex ? 1 : 0));
  if (is_anyone_can_pay(type)) {
    out.bytes(tx_.inputs[input].previous.bytes());
    write_output(out, spent_[input]);
    out.integer(tx_.inputs[input].sequence);
  } else {
    out.integer(static_cast<std::uint32_t>(input));
  }
  if (annex) out.hash(util::sha256(util::Writer().var_bytes(*annex).data()));
  if (single) out.hash(util::sha256(encoded_output(tx_.outputs[input])));
  return util::tagged_sha256("TapSighash", out.data());
}

}  // namespace spv::wallet::spend
