#include "wallet/script.h"

#include <algorithm>

#include "chain/script_reader.h"
#include "util/codec.h"
#include "util/ensure.h"

namespace spv::wallet {
namespace {

namespace op = chain::op;

constexpr std::size_t kMinProgram = 2;
constexpr std::size_t kMaxProgram = 40;
constexpr std::size_t kMultisigKeyLimit = 20;

void push_number(util::Writer& out, std::size_t number) {
  // A multisig in wsh() has up to 20 keys, and opcodes for numbers end at 16.
  if (number > 16) {
    out.integer(std::uint8_t{1}).integer(static_cast<std::uint8_t>(number));
  } else {
    out.integer(small_number_opcode(static_cast<int>(number)));
  }
}

std::optional<std::size_t> pushed_number(const chain::ScriptOp& found) {
  if (found.code == 1) return found.data[0];
  const auto number = op::small_number(found.code);
  if (!number) return std::nullopt;
  return static_cast<std::size_t>(*number);
}

bool is_key_size(std::size_t size) { return size == 33 || size == 65; }

/// The hash that begins at `offset`, if the script is what `make` makes of it.
std::optional<util::Hash160> hash_in(util::ByteView script, std::size_t offset,
                                     util::Bytes (*make)(const util::Hash160&)) {
  util::Hash160 hash{};
  if (script.size() < offset + hash.size()) return std::nullopt;
  std::copy_n(script.begin() + static_cast<std::ptrdiff_t>(offset), hash.size(), hash.begin());
  if (!std::ranges::equal(script, make(hash))) return std::nullopt;
  return hash;
}

}  // namespace

util::Bytes p2pkh_script(const util::Hash160& key_hash) {
  util::Writer out(25);
  out.integer(op::kDup).integer(op::kHash160).integer(static_cast<std::uint8_t>(key_hash.size())).bytes(key_hash);
  return out.integer(op::kEqualVerify).integer(op::kCheckSig).take();
}

util::Bytes p2sh_script(const util::Hash160& script_hash) {
  util::Writer out(23);
  out.integer(op::kHash160).integer(static_cast<std::uint8_t>(script_hash.size())).bytes(script_hash);
  return out.integer(op::kEqual).take();
}

util::Bytes witness_script(int version, util::ByteView program) {
  util::ensure(version >= 0 && version <= 16, "a witness version is 0 to 16");
  util::ensure(program.size() >= kMinProgram && program.size() <= kMaxProgram, "a witness program has 2 to 40 bytes");
  util::Writer out(program.size() + 2);
  out.integer(small_number_opcode(version)).integer(static_cast<std::uint8_t>(program.size())).bytes(program);
  return out.take();
}

util::Bytes pay_to_key_script(util::ByteView key) {
  util::ensure(is_key_size(key.size()), "a public key has 33 or 65 bytes");
  util::Writer out(key.size() + 2);
  return out.integer(static_cast<std::uint8_t>(key.size())).bytes(key).integer(op::kCheckSig).take();
}

util::Bytes multisig_script(std::size_t threshold, std::span<const util::Bytes> keys) {
  util::ensure(threshold >= 1 && threshold <= keys.size() && keys.size() <= kMultisigKeyLimit,
               "a multisig has 1 to 20 keys, and a threshold among them");
  util::Writer out;
  push_number(out, threshold);
  for (const auto& key : keys) out.integer(static_cast<std::uint8_t>(key.size())).bytes(key);
  push_number(out, keys.size());
  return out.integer(op::kCheckMultisig).take();
}

std::uint8_t small_number_opcode(int number) {
  util::ensure(number >= 0 && number <= 16, "only 0 to 16 have an opcode");
  return number == 0 ? op::k0 : static_cast<std::uint8_t>(op::k1 + number - 1);
}

std::optional<util::Hash160> as_p2pkh(util::ByteView script) { return hash_in(script, 3, p2pkh_script); }
std::optional<util::Hash160> as_p2sh(util::ByteView script) { return hash_in(script, 2, p2sh_script); }

std::optional<util::ByteView> as_pay_to_key(util::ByteView script) {
  if (script.size() < 2 || !is_key_size(script[0]) || script.size() != script[0] + 2U) return std::nullopt;
  if (script.back() != op::kCheckSig) return std::nullopt;
  return script.subspan(1, script[0]);
}

std::optional<Multisig> as_multisig(util::ByteView script) {
  Multisig out;
  chain::ScriptReader reader(script);
  const auto first = reader.next();
  const auto threshold = first ? pushed_number(*first) : std::nullopt;
  if (!threshold) return std::nullopt;
  out.threshold = *threshold;
  while (const auto found = reader.next()) {
    if (!is_key_size(found->code)) break;
    if (out.keys.size() == kMultisigKeyLimit) return std::nullopt;
    out.keys.push_back(util::to_bytes(found->data));
  }
  if (out.threshold == 0 || out.threshold > out.keys.size()) return std::nullopt;
  // There are many ways to write a number and an end: only the usual one is taken.
  if (!std::ranges::equal(script, multisig_script(out.threshold, out.keys))) return std::nullopt;
  return out;
}

std::optional<WitnessProgram> as_witness_program(util::ByteView script) {
  if (script.size() < kMinProgram + 2 || script.size() > kMaxProgram + 2) return std::nullopt;
  const auto version = op::small_number(script[0]);
  if (!version || script[1] + 2U != script.size()) return std::nullopt;
  return WitnessProgram{.version = *version, .program = script.subspan(2)};
}

std::optional<util::ByteView> filter_element(util::ByteView script) {
  // In every standard form the longest push is the one that names the owner, so one rule serves them all.
  util::ByteView longest;
  chain::ScriptReader reader(script);
  while (const auto found = reader.next()) {
    if (found->data.size() > longest.size()) longest = found->data;
  }
  if (longest.empty()) return std::nullopt;
  return longest;
}

}  // namespace spv::wallet
