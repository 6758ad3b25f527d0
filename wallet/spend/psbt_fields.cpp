#include "wallet/spend/psbt_fields.h"

#include "util/codec.h"

namespace spv::wallet::spend {
namespace {

/// Fingerprint and path, to the end.
KeyOrigin decode_origin(util::Reader& in) {
  KeyOrigin origin;
  origin.fingerprint = in.array<4>();
  while (in.remaining() >= 4) origin.path.push_back(in.integer<std::uint32_t>());
  return origin;
}

}  // namespace

std::optional<chain::Transaction> decode_unsigned(util::ByteView bytes) {
  constexpr std::size_t kMinInput = chain::OutPoint::kSize + 1 + 4;
  constexpr std::size_t kMinOutput = 8 + 1;
  util::Reader in(bytes);
  chain::Transaction tx;
  tx.version = in.integer<std::int32_t>();
  tx.inputs.resize(in.count(kMinInput));
  for (auto& input : tx.inputs) {
    input.previous.txid = in.hash<chain::Txid>();
    input.previous.index = in.integer<std::uint32_t>();
    input.script_sig = in.var_bytes(bytes.size());
    input.sequence = in.integer<std::uint32_t>();
  }
  tx.outputs.resize(in.count(kMinOutput));
  for (auto& output : tx.outputs) {
    output.value = in.integer<chain::Amount>();
    output.script_pubkey = in.var_bytes(bytes.size());
  }
  tx.lock_time = in.integer<std::uint32_t>();
  if (!in.done()) return std::nullopt;
  return tx;
}

std::optional<std::uint32_t> number_in(const PsbtMap& map, std::uint64_t type) {
  const auto value = map.find(type);
  if (!value || value->size() != 4) return std::nullopt;
  return util::Reader(*value).integer<std::uint32_t>();
}

std::optional<chain::Transaction> previous_in(const PsbtMap& input) {
  const auto value = input.find(psbt_in::kNonWitnessUtxo);
  if (!value) return std::nullopt;
  auto tx = chain::Transaction::parse(*value);
  if (!tx) return std::nullopt;
  return std::move(*tx);
}

std::optional<chain::TxOutput> witness_utxo_in(const PsbtMap& input) {
  const auto value = input.find(psbt_in::kWitnessUtxo);
  if (!value) return std::nullopt;
  util::Reader in(*value);
  chain::TxOutput output;
  output.value = in.integer<chain::Amount>();
  output.script_pubkey = in.var_bytes(value->size());
  return output;
}

std::optional<std::vector<util::Bytes>> final_witness_in(const PsbtMap& input) {
  const auto value = input.find(psbt_in::kFinalWitness);
  if (!value) return std::nullopt;
  util::Reader in(*value);
  std::vector<util::Bytes> witness;
  const std::size_t items = in.count(1);
  for (std::size_t i = 0; i < items && in.ok(); ++i) witness.push_back(in.var_bytes(value->size()));
  return witness;
}

util::Bytes bytes_in(const PsbtMap& map, std::uint64_t type) {
  const auto value = map.find(type);
  return value ? util::to_bytes(*value) : util::Bytes{};
}

bool is_final(const PsbtMap& input) {
  return input.find(psbt_in::kFinalScriptSig) || input.find(psbt_in::kFinalWitness);
}

std::vector<ClaimedKey> claimed_keys(const PsbtMap& map, std::uint64_t type) {
  std::vector<ClaimedKey> keys;
  for (const PsbtField* field : map.all(type)) {
    util::Reader in(field->value);
    keys.push_back({.public_key = field->key_data, .origin = decode_origin(in)});
  }
  return keys;
}

std::vector<ClaimedKey> claimed_tap_keys(const PsbtMap& map, std::uint64_t type) {
  std::vector<ClaimedKey> keys;
  for (const PsbtField* field : map.all(type)) {
    util::Reader in(field->value);
    const std::size_t leaves = in.count(32);
    in.view(32 * leaves);
    keys.push_back({.public_key = field->key_data, .origin = decode_origin(in)});
  }
  return keys;
}

util::Bytes encode_little_endian(std::uint32_t number) { return util::Writer().integer(number).take(); }

util::Bytes encode_origin(const KeyOrigin& origin) {
  util::Writer out;
  out.bytes(origin.fingerprint);
  for (const std::uint32_t step : origin.path) out.integer(step);
  return out.take();
}

util::Bytes encode_output(const chain::TxOutput& output) {
  return util::Writer().integer(output.value).var_bytes(output.script_pubkey).take();
}

util::Bytes encode_witness(const std::vector<util::Bytes>& witness) {
  util::Writer out;
  out.compact_size(witness.size());
  for (const auto& item : witness) out.var_bytes(item);
  return out.take();
}

}  // namespace spv::wallet::spend
