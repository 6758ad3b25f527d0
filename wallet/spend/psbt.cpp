#include "wallet/spend/psbt.h"

#include <algorithm>

#include "util/base64.h"
#include "util/codec.h"
#include "wallet/spend/psbt_fields.h"

namespace spv::wallet::spend {
namespace {

constexpr std::string_view kCodeNames[] = {
    "too-large",     "not-a-psbt",      "malformed",       "trailing-bytes", "duplicate-key",     "wrong-field",
    "missing-field", "unknown-version", "bad-transaction", "bad-amount",     "bad-lock-time",     "wrong-previous",
    "utxo-mismatch", "no-previous",     "no-utxo",         "attack",         "wrong-script",      "bad-sighash",
    "bad-signature", "different",       "nothing-to-sign", "incomplete",     "unsupported-script"};
static_assert(std::size(kCodeNames) == static_cast<std::size_t>(PsbtErrorCode::UnsupportedScript) + 1);

util::Bytes encode_count(std::size_t count) { return util::Writer().compact_size(count).take(); }

void write_map(const PsbtMap& map, util::Writer& out) {
  for (const auto& field : map.fields()) {
    out.compact_size(util::compact_size_length(field.type) + field.key_data.size());
    out.compact_size(field.type).bytes(field.key_data).var_bytes(field.value);
  }
  out.compact_size(0);
}

/// What version 0 keeps in its transaction, version 2 has in fields.
void set_transaction_fields(Psbt& psbt) {
  const chain::Transaction& tx = psbt.tx;
  psbt.global.erase(psbt_global::kUnsignedTx);
  psbt.global.set(psbt_global::kTxVersion, encode_little_endian(static_cast<std::uint32_t>(tx.version)));
  psbt.global.set(psbt_global::kFallbackLockTime, encode_little_endian(tx.lock_time));
  psbt.global.set(psbt_global::kInputCount, encode_count(tx.inputs.size()));
  psbt.global.set(psbt_global::kOutputCount, encode_count(tx.outputs.size()));
  psbt.global.set(psbt_global::kVersion, encode_little_endian(2));
  for (std::size_t i = 0; i < tx.inputs.size(); ++i) {
    const auto& input = tx.inputs[i];
    psbt.inputs[i].set(psbt_in::kPreviousTxid, util::to_bytes(input.previous.txid.view()));
    psbt.inputs[i].set(psbt_in::kOutputIndex, encode_little_endian(input.previous.index));
    psbt.inputs[i].set(psbt_in::kSequence, encode_little_endian(input.sequence));
  }
  for (std::size_t i = 0; i < tx.outputs.size(); ++i) {
    psbt.outputs[i].set(psbt_out::kAmount, util::Writer().integer(tx.outputs[i].value).take());
    psbt.outputs[i].set(psbt_out::kScript, tx.outputs[i].script_pubkey);
  }
}

void drop_transaction_fields(Psbt& psbt) {
  psbt.global.erase_if([](const PsbtField& field) {
    return (field.type >= psbt_global::kTxVersion && field.type <= psbt_global::kTxModifiable) ||
           field.type == psbt_global::kVersion;
  });
  for (auto& input : psbt.inputs) {
    input.erase_if([](const PsbtField& field) {
      return field.type >= psbt_in::kPreviousTxid && field.type <= psbt_in::kHeightLock;
    });
  }
  for (auto& output : psbt.outputs) {
    output.erase_if(
        [](const PsbtField& field) { return field.type == psbt_out::kAmount || field.type == psbt_out::kScript; });
  }
  psbt.global.set(psbt_global::kUnsignedTx, psbt.tx.serialize(chain::Witness::Strip));
}

}  // namespace

std::string_view to_string(PsbtErrorCode code) { return kCodeNames[static_cast<std::size_t>(code)]; }

std::optional<util::ByteView> PsbtMap::find(std::uint64_t type, util::ByteView key_data) const {
  for (const auto& field : fields_) {
    if (field.type == type && std::ranges::equal(field.key_data, key_data)) return util::ByteView(field.value);
  }
  return std::nullopt;
}

bool PsbtMap::has(std::uint64_t type) const {
  return std::ranges::any_of(fields_, [type](const PsbtField& field) { return field.type == type; });
}

std::vector<const PsbtField*> PsbtMap::all(std::uint64_t type) const {
  std::vector<const PsbtField*> found;
  for (const auto& field : fields_) {
    if (field.type == type) found.push_back(&field);
  }
  return found;
}

void PsbtMap::set(std::uint64_t type, util::ByteView key_data, util::Bytes value) {
  auto place = fields_.begin();
  for (auto at = fields_.begin(); at != fields_.end(); ++at) {
    if (at->type == type && std::ranges::equal(at->key_data, key_data)) {
      at->value = std::move(value);
      return;
    }
    if (at->type <= type) place = at + 1;
  }
  fields_.insert(place, {.type = type, .key_data = util::to_bytes(key_data), .value = std::move(value)});
}

Psbt new_psbt(const chain::Transaction& tx, std::uint32_t version) {
  Psbt psbt{.version = version, .tx = tx, .global = {}, .inputs = {}, .outputs = {}};
  psbt.inputs.resize(tx.inputs.size());
  psbt.outputs.resize(tx.outputs.size());
  if (version == 2) {
    set_transaction_fields(psbt);
  } else {
    psbt.global.set(psbt_global::kUnsignedTx, tx.serialize(chain::Witness::Strip));
  }
  return psbt;
}

Psbt to_version(const Psbt& psbt, std::uint32_t version) {
  Psbt other = psbt;
  if (psbt.version == version) return other;
  other.version = version;
  version == 2 ? set_transaction_fields(other) : drop_transaction_fields(other);
  return other;
}

util::Bytes serialize(const Psbt& psbt) {
  util::Writer out;
  out.bytes(util::as_bytes("psbt")).integer(std::uint8_t{0xFF});
  write_map(psbt.global, out);
  for (const auto& map : psbt.inputs) write_map(map, out);
  for (const auto& map : psbt.outputs) write_map(map, out);
  return out.take();
}

std::string to_base64(const Psbt& psbt) { return util::to_base64(serialize(psbt)); }

}  // namespace spv::wallet::spend
