#include "wallet/spend/solution.h"

#include <algorithm>

#include "util/ensure.h"
#include "util/hash.h"
#include "wallet/descriptor_node.h"
#include "wallet/script.h"

namespace spv::wallet::spend {
namespace {

using DescriptorNode = Descriptor::Node;
using DescriptorFunction = DescriptorNode::Function;

std::vector<util::Bytes> public_keys(const Solution& solution) {
  std::vector<util::Bytes> out;
  out.reserve(solution.keys.size());
  for (const auto& key : solution.keys) out.push_back(key.public_key);
  return out;
}

/// The script that holds the keys or their hash, by form and keys.
std::optional<util::Bytes> innermost_script(const Solution& solution) {
  const util::Bytes& key = solution.keys[0].public_key;
  switch (solution.form) {
    case SpendForm::Pk:
      return pay_to_key_script(key);
    case SpendForm::Pkh:
      return p2pkh_script(util::hash160(key));
    case SpendForm::Wpkh:
      return p2wpkh_script(util::hash160(key));
    case SpendForm::Multi:
      return multisig_script(solution.threshold, public_keys(solution));
    case SpendForm::Tr:
      break;
  }
  const auto internal = PublicKey::from_x(key);
  const auto output = internal ? internal->taproot_output_key() : std::nullopt;
  if (!output) return std::nullopt;
  return wallet::witness_script(1, *output);
}

SpendForm form_of(DescriptorFunction function) {
  switch (function) {
    case DescriptorFunction::Pk:
      return SpendForm::Pk;
    case DescriptorFunction::Pkh:
      return SpendForm::Pkh;
    case DescriptorFunction::Wpkh:
      return SpendForm::Wpkh;
    case DescriptorFunction::Tr:
      return SpendForm::Tr;
    default:
      return SpendForm::Multi;
  }
}

bool add_keys(const DescriptorNode& node, std::uint32_t index, Solution& solution) {
  for (const auto& expression : node.keys) {
    auto bytes = expression.bytes_at(index);
    if (!bytes) return false;
    if (solution.form == SpendForm::Tr) bytes->erase(bytes->begin());
    solution.keys.push_back({std::move(*bytes), expression.origin_at(index)});
  }
  if (node.function == DescriptorFunction::SortedMulti) {
    std::ranges::sort(solution.keys, [](const SpendKey& a, const SpendKey& b) {
      return std::ranges::lexicographical_compare(a.public_key, b.public_key);
    });
  }
  return true;
}

bool solve_node(const DescriptorNode& node, std::uint32_t index, Solution& solution) {
  switch (node.function) {
    case DescriptorFunction::Fixed:
      return false;
    case DescriptorFunction::Sh:
      if (!solve_node(*node.inner, index, solution)) return false;
      solution.redeem_script = solution.script_pubkey;
      solution.script_pubkey = p2sh_script(util::hash160(solution.redeem_script));
      return true;
    case DescriptorFunction::Wsh:
      if (!solve_node(*node.inner, index, solution)) return false;
      solution.witness_script = solution.script_pubkey;
      solution.script_pubkey = wallet::witness_script(0, util::sha256(solution.witness_script).view());
      return true;
    default:
      break;
  }
  solution.form = form_of(node.function);
  solution.threshold = solution.form == SpendForm::Multi ? node.threshold : 1;
  if (!add_keys(node, index, solution)) return false;
  auto script = innermost_script(solution);
  if (!script) return false;
  solution.script_pubkey = std::move(*script);
  return true;
}

/// The known key that makes this script in this form.
bool find_key(util::ByteView script, std::span<const SpendKey> known, Solution& solution) {
  for (const SpendKey& key : known) {
    const bool fits = solution.form == SpendForm::Tr ? key.public_key.size() == 32 : key.public_key.size() != 32;
    if (!fits) continue;
    solution.keys = {key};
    const auto made = innermost_script(solution);
    if (made && std::ranges::equal(*made, script)) return true;
  }
  return false;
}

SpendKey known_or_bare(util::ByteView public_key, std::span<const SpendKey> known) {
  const auto found =
      std::ranges::find_if(known, [&](const SpendKey& key) { return std::ranges::equal(key.public_key, public_key); });
  return found != known.end() ? *found : SpendKey{util::to_bytes(public_key), std::nullopt};
}

/// Form and keys by the innermost script.
bool read_innermost(util::ByteView script, std::span<const SpendKey> known, Solution& solution) {
  if (auto multisig = as_multisig(script)) {
    solution.form = SpendForm::Multi;
    solution.threshold = multisig->threshold;
    for (const auto& key : multisig->keys) solution.keys.push_back(known_or_bare(key, known));
    return true;
  }
  if (const auto key = as_pay_to_key(script)) {
    solution.form = SpendForm::Pk;
    solution.keys = {known_or_bare(*key, known)};
    return true;
  }
  const auto program = as_witness_program(script);
  if (program && solution.is_p2wsh()) return false;
  if (program && program->version == 1 && solution.is_p2sh()) return false;
  if (program && program->version > 1) return false;
  solution.form = !program ? SpendForm::Pkh : program->version == 0 ? SpendForm::Wpkh : SpendForm::Tr;
  return find_key(script, known, solution);
}

}  // namespace

util::Bytes script_code(const Solution& solution) {
  if (solution.form == SpendForm::Tr) return {};
  if (solution.is_p2wsh()) return solution.witness_script;
  if (solution.form == SpendForm::Wpkh) return p2pkh_script(util::hash160(solution.keys[0].public_key));
  return solution.is_p2sh() ? solution.redeem_script : solution.script_pubkey;
}

std::optional<Solution> solve(const Descriptor& descriptor, std::uint32_t index) {
  util::ensure(index < kHardened, "an index of a descriptor is below 2^31");
  Solution out;
  if (!solve_node(descriptor.node(), index, out)) return std::nullopt;
  return out;
}

std::optional<Solution> solve_script(util::ByteView script_pubkey, util::ByteView redeem_script,
                                     util::ByteView witness_script, std::span<const SpendKey> known) {
  Solution out;
  out.script_pubkey = util::to_bytes(script_pubkey);
  util::ByteView script = script_pubkey;
  if (const auto hash = as_p2sh(script)) {
    if (redeem_script.empty() || util::hash160(redeem_script) != *hash) return std::nullopt;
    out.redeem_script = util::to_bytes(redeem_script);
    script = redeem_script;
  }
  const auto program = as_witness_program(script);
  if (program && program->version == 0 && program->program.size() == 32) {
    const util::Hash256 hash = util::sha256(witness_script);
    if (witness_script.empty() || !std::ranges::equal(hash.view(), program->program)) return std::nullopt;
    out.witness_script = util::to_bytes(witness_script);
    script = witness_script;
  }
  if (!read_innermost(script, known, out)) return std::nullopt;
  const auto is_long = [](const SpendKey& key) { return key.public_key.size() == 65; };
  if (out.is_segwit() && std::ranges::any_of(out.keys, is_long)) return std::nullopt;  // nodes relay none of these
  return out;
}

}  // namespace spv::wallet::spend
