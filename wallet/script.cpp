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
  util::ensure(key.size() == 33 || key.size() == 65, "a public key has 33 or 65 bytes");
  util::Writer out(key.size() + 2);
  return out.integer(static_cast<std::uint8_t>(key.size())).bytes(key).integer(op::kCheckSig).take();
}

std::uint8_t small_number_opcode(int number) {
  util::ensure(number >= 0 && number <= 16, "only 0 to 16 have an opcode");
  return number == 0 ? op::k0 : static_cast<std::uint8_t>(op::k1 + number - 1);
}

std::optional<util::Hash160> as_p2pkh(util::ByteView script) { return hash_in(script, 3, p2pkh_script); }
std::optional<util::Hash160> as_p2sh(util::ByteView script) { return hash_in(script, 2, p2sh_script); }

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
