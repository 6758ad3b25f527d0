#include "bip37/matcher.h"

#include <optional>

#include "chain/script_reader.h"

namespace spv::bip37 {
namespace {

namespace op = chain::op;
using chain::ScriptReader;

constexpr std::size_t kMaxMultisigKeys = 20;

bool any_push_matches(util::ByteView script, const BloomFilter& filter) {
  ScriptReader reader(script);
  while (const auto found = reader.next()) {
    if (!found->data.empty() && filter.contains(found->data)) return true;
  }
  return false;
}

bool has_pubkey_size(util::ByteView key) {
  if (key.empty()) return false;
  if (key[0] == 2 || key[0] == 3) return key.size() == 33;
  return (key[0] == 4 || key[0] == 6 || key[0] == 7) && key.size() == 65;
}

bool pays_to_pubkey(util::ByteView script) {
  ScriptReader reader(script);
  const auto key = reader.next();
  return key && key->code == key->data.size() && has_pubkey_size(key->data) && reader.remaining() == 1 &&
         script.back() == op::kCheckSig;
}

// Counts to 16 have opcodes of their own; 17 to 20 are a push of one byte, the only minimal form.
std::optional<std::size_t> multisig_count(const chain::ScriptOp& found) {
  const auto small = op::small_number(found.code);
  if (small && *small > 0) return static_cast<std::size_t>(*small);
  if (found.code == 1 && found.data[0] > 16 && found.data[0] <= kMaxMultisigKeys) return found.data[0];
  return std::nullopt;
}

bool pays_to_bare_multisig(util::ByteView script) {
  ScriptReader reader(script);
  const auto first = reader.next();
  const auto required = first ? multisig_count(*first) : std::nullopt;
  if (!required) return false;
  std::size_t keys = 0;
  auto next = reader.next();
  for (; next && has_pubkey_size(next->data); next = reader.next()) ++keys;
  const auto total = next ? multisig_count(*next) : std::nullopt;
  return total && *total == keys && *required <= keys && reader.remaining() == 1 && script.back() == op::kCheckMultisig;
}

bool inserts_outpoint(UpdateFlags flags, util::ByteView script) {
  if (flags == UpdateFlags::All) return true;
  return flags == UpdateFlags::P2PubkeyOnly && (pays_to_pubkey(script) || pays_to_bare_multisig(script));
}

// All outputs are looked at, even when the transaction matches already: each may add its outpoint.
bool match_outputs(const chain::Transaction& tx, const chain::Txid& txid, BloomFilter& filter) {
  bool found = false;
  for (std::size_t i = 0; i < tx.outputs.size(); ++i) {
    const auto& script = tx.outputs[i].script_pubkey;
    if (!any_push_matches(script, filter)) continue;
    found = true;
    if (!inserts_outpoint(filter.flags(), script)) continue;
    filter.insert(chain::OutPoint{.txid = txid, .index = static_cast<std::uint32_t>(i)}.bytes());
  }
  return found;
}

}  // namespace

bool match_and_update(const chain::Transaction& tx, const chain::Txid& txid, BloomFilter& filter) {
  if (filter.bits().empty()) return true;
  const bool txid_found = filter.contains(txid.view());
  if (match_outputs(tx, txid, filter) || txid_found) return true;
  for (const auto& input : tx.inputs) {
    if (filter.contains(input.previous.bytes()) || any_push_matches(input.script_sig, filter)) return true;
  }
  return false;
}

}  // namespace spv::bip37
