#include "wallet/descriptor.h"

#include <algorithm>
#include <array>

#include "util/ensure.h"
#include "util/hash.h"
#include "wallet/descriptor_node.h"
#include "wallet/generator_table.h"
#include "wallet/script.h"

namespace spv::wallet {
namespace {

using Node = Descriptor::Node;
using Function = Node::Function;

std::optional<util::Bytes> multisig_script_at(const Node& node, std::uint32_t index, const GeneratorTable* table) {
  std::vector<util::Bytes> keys;
  for (const auto& expression : node.keys) {
    auto key = expression.bytes_at(index, table);
    if (!key) return std::nullopt;
    keys.push_back(std::move(*key));
  }
  if (node.function == Function::SortedMulti) {
    // By hand: g++ 12 warns falsely where vectors of bytes are compared by their operator.
    std::ranges::sort(keys, [](const auto& a, const auto& b) { return std::ranges::lexicographical_compare(a, b); });
  }
  return multisig_script(node.threshold, keys);
}

std::optional<util::Bytes> taproot_script(const KeyExpression& expression, std::uint32_t index,
                                          const GeneratorTable* table) {
  const auto key = expression.key_at(index, table);
  if (!key) return std::nullopt;
  const auto output = key->taproot_output_key(table);
  if (!output) return std::nullopt;
  return witness_script(1, *output);
}

std::optional<util::Bytes> single_key_script(const Node& node, std::uint32_t index, const GeneratorTable* table) {
  const auto key = node.keys[0].bytes_at(index, table);
  if (!key) return std::nullopt;
  if (node.function == Function::Pk) return pay_to_key_script(*key);
  const util::Hash160 hash = util::hash160(*key);
  return node.function == Function::Pkh ? p2pkh_script(hash) : p2wpkh_script(hash);
}

std::optional<util::Bytes> script_of(const Node& node, std::uint32_t index, const GeneratorTable* table) {
  switch (node.function) {
    case Function::Pk:
    case Function::Pkh:
    case Function::Wpkh:
      return single_key_script(node, index, table);
    case Function::Tr:
      return taproot_script(node.keys[0], index, table);
    case Function::Multi:
    case Function::SortedMulti:
      return multisig_script_at(node, index, table);
    case Function::Fixed:
      return node.script;
    case Function::Sh:
    case Function::Wsh:
      break;
  }
  const auto inner = script_of(*node.inner, index, table);
  if (!inner) return std::nullopt;
  if (node.function == Function::Sh) return p2sh_script(util::hash160(*inner));
  return witness_script(0, util::sha256(*inner).view());
}

// From so many scripts on, the table saves more than it costs.
constexpr std::uint32_t kWorthTable = 2'000;

const Node& innermost(const Node& node) { return node.inner ? innermost(*node.inner) : node; }

constexpr std::string_view kInputCharset =
    "0123456789()[],'/*abcdefgh@:$%{}"
    "IJKLMNOPQRSTUVWXYZ&+-.;<=>?!^_|~"
    "ijklmnopqrstuvwxyzABCDEFGH`#\"\\ ";
constexpr std::string_view kChecksumCharset = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";

std::uint64_t checksum_step(std::uint64_t checksum, std::uint64_t value) {
  constexpr std::array<std::uint64_t, 5> kChecksumGenerator{0xF5DEE51989, 0xA9FDCA3312, 0x1BAB10E32D, 0x3706B1677A,
                                                            0x644D626FFD};
  const std::uint64_t top = checksum >> 35U;
  checksum = ((checksum & 0x7FFFFFFFFU) << 5U) ^ value;
  for (std::size_t i = 0; i < kChecksumGenerator.size(); ++i) {
    if (((top >> i) & 1U) != 0) checksum ^= kChecksumGenerator[i];
  }
  return checksum;
}

}  // namespace

std::string Descriptor::to_string() const { return node_->text + '#' + descriptor_checksum(node_->text); }

bool Descriptor::is_ranged() const { return std::ranges::any_of(innermost(*node_).keys, &KeyExpression::is_ranged); }

std::optional<util::Bytes> Descriptor::script_at(std::uint32_t index) const {
  util::ensure(index < kHardened, "an index of a descriptor is below 2^31");
  return script_of(*node_, index, nullptr);
}

void Descriptor::each_script(std::uint32_t first, std::uint32_t end,
                             const std::function<void(util::ByteView)>& visit) const {
  util::ensure(end <= kHardened, "an index of a descriptor is below 2^31");
  const GeneratorTable* table = end > first && end - first >= kWorthTable ? &GeneratorTable::shared() : nullptr;
  for (std::uint32_t index = first; index < end; ++index) {
    visit(script_of(*node_, index, table).value_or(util::Bytes{}));
  }
}

std::string Descriptor::path_at(std::uint32_t index) const {
  const Node& node = innermost(*node_);
  return node.keys.empty() ? std::string() : node.keys[0].path_at(index);
}

std::optional<std::vector<std::uint32_t>> Descriptor::origin_path() const {
  const Node& node = innermost(*node_);
  if (node.keys.empty() || !node.keys[0].origin()) return std::nullopt;
  return node.keys[0].origin()->path;
}

std::string descriptor_checksum(std::string_view text) {
  std::uint64_t checksum = 1;
  std::uint64_t groups = 0;
  unsigned count = 0;
  for (const char c : text) {
    const auto position = kInputCharset.find(c);
    if (position == std::string_view::npos) return {};
    checksum = checksum_step(checksum, position & 31U);
    // The group numbers of three characters make one symbol more, so that a change of case is found.
    groups = groups * 3 + (position >> 5U);
    if (++count < 3) continue;
    checksum = checksum_step(checksum, groups);
    groups = 0;
    count = 0;
  }
  if (count > 0) checksum = checksum_step(checksum, groups);
  for (int i = 0; i < 8; ++i) checksum = checksum_step(checksum, 0);
  checksum ^= 1U;
  std::string out;
  for (unsigned i = 0; i < 8; ++i) out.push_back(kChecksumCharset[(checksum >> (5U * (7U - i))) & 31U]);
  return out;
}

}  // namespace spv::wallet
