#include "bip37/matcher.h"

#include <optional>

namespace spv::bip37 {
namespace {

constexpr std::uint8_t kOpPushData1 = 0x4C;
constexpr std::uint8_t kOpPushData4 = 0x4E;
constexpr std::uint8_t kOp1 = 0x51;
constexpr std::uint8_t kOp16 = 0x60;
constexpr std::uint8_t kOpCheckSig = 0xAC;
constexpr std::uint8_t kOpCheckMultisig = 0xAE;
constexpr std::size_t kMaxMultisigKeys = 20;

struct Op {
  std::uint8_t code = 0;
  util::ByteView data;  // what it pushes; empty for OP_0 and for all that push no bytes of the script
};

// Cuts a script as Core's GetOp does: a push that runs over the end stops it.
class ScriptReader {
 public:
  explicit ScriptReader(util::ByteView script) : in_(script) {}

  std::optional<Op> next() {
    if (in_.remaining() == 0) return std::nullopt;
    Op op{.code = in_.integer<std::uint8_t>(), .data = {}};
    if (op.code <= kOpPushData4) op.data = in_.view(push_size(op.code));
    if (!in_.ok()) return std::nullopt;
    return op;
  }
  [[nodiscard]] std::size_t remaining() const { return in_.remaining(); }

 private:
  std::size_t push_size(std::uint8_t code) {
    if (code < kOpPushData1) return code;
    if (code == kOpPushData1) return in_.integer<std::uint8_t>();
    if (code == kOpPushData4) return in_.integer<std::uint32_t>();
    return in_.integer<std::uint16_t>();
  }

  util::Reader in_;
};

bool any_push_matches(util::ByteView script, const BloomFilter& filter) {
  ScriptReader reader(script);
  while (const auto op = reader.next()) {
    if (!op->data.empty() && filter.contains(op->data)) return true;
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
         script.back() == kOpCheckSig;
}

// Counts to 16 have opcodes of their own; 17 to 20 are a push of one byte, the only minimal form.
std::optional<std::size_t> multisig_count(const Op& op) {
  if (op.code >= kOp1 && op.code <= kOp16) return op.code - kOp1 + 1U;
  if (op.code == 1 && op.data[0] > 16 && op.data[0] <= kMaxMultisigKeys) return op.data[0];
  return std::nullopt;
}

bool pays_to_bare_multisig(util::ByteView script) {
  ScriptReader reader(script);
  const auto first = reader.next();
  const auto required = first ? multisig_count(*first) : std::nullopt;
  if (!required) return false;
  std::size_t keys = 0;
  auto op = reader.next();
  for (; op && has_pubkey_size(op->data); op = reader.next()) ++keys;
  const auto total = op ? multisig_count(*op) : std::nullopt;
  return total && *total == keys && *required <= keys && reader.remaining() == 1 && script.back() == kOpCheckMultisig;
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
