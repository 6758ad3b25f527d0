#include "chain/transaction.h"

#include <algorithm>

#include "util/hash.h"

namespace spv::chain {
namespace {

constexpr std::size_t kMinInputSize = OutPoint::kSize + 1 + 4;
constexpr std::size_t kMinOutputSize = 8 + 1;
// No script, witness item or transaction is larger than a message.
constexpr std::size_t kMaxItemBytes = 4'000'000;
constexpr std::uint32_t kNullIndex = 0xFFFF'FFFF;

bool is_null(const OutPoint& outpoint) { return outpoint.index == kNullIndex && outpoint.txid.is_zero(); }

void encode_inputs(const std::vector<TxInput>& inputs, util::Writer& out) {
  out.compact_size(inputs.size());
  for (const auto& input : inputs) {
    out.bytes(input.previous.bytes()).var_bytes(input.script_sig).integer(input.sequence);
  }
}

void encode_outputs(const std::vector<TxOutput>& outputs, util::Writer& out) {
  out.compact_size(outputs.size());
  for (const auto& output : outputs) out.integer(output.value).var_bytes(output.script_pubkey);
}

void decode_inputs(util::Reader& in, std::size_t count, std::vector<TxInput>& inputs) {
  inputs.reserve(count);
  for (std::size_t i = 0; i < count && in.ok(); ++i) {
    TxInput input;
    input.previous.txid = in.hash<Txid>();
    input.previous.index = in.integer<std::uint32_t>();
    input.script_sig = in.var_bytes(kMaxItemBytes);
    input.sequence = in.integer<std::uint32_t>();
    inputs.push_back(std::move(input));
  }
}

void decode_outputs(util::Reader& in, std::vector<TxOutput>& outputs) {
  const std::size_t count = in.count(kMinOutputSize);
  outputs.reserve(count);
  for (std::size_t i = 0; i < count && in.ok(); ++i) {
    TxOutput output;
    output.value = in.integer<Amount>();
    output.script_pubkey = in.var_bytes(kMaxItemBytes);
    outputs.push_back(std::move(output));
  }
}

void decode_witness(util::Reader& in, TxInput& input) {
  const std::size_t items = in.count(1);
  input.witness.reserve(std::min<std::size_t>(items, 16));  // an empty item costs one byte here but a vector there
  for (std::size_t i = 0; i < items && in.ok(); ++i) input.witness.push_back(in.var_bytes(kMaxItemBytes));
}

}  // namespace

std::array<std::uint8_t, OutPoint::kSize> OutPoint::bytes() const {
  std::array<std::uint8_t, kSize> out{};
  std::copy(txid.bytes.begin(), txid.bytes.end(), out.begin());
  for (std::size_t i = 0; i < 4; ++i) out[32 + i] = static_cast<std::uint8_t>(index >> (8U * i));
  return out;
}

std::string_view to_string(TxError error) {
  switch (error) {
    case TxError::Malformed:
      return "malformed transaction";
    case TxError::NoInputs:
      return "transaction without inputs";
    case TxError::NoOutputs:
      return "transaction without outputs";
    case TxError::BadAmount:
      return "output amount out of range";
    case TxError::DuplicateInput:
      return "transaction spends the same output twice";
    case TxError::NullInput:
      return "null input in a transaction that is not a coinbase";
    case TxError::BadCoinbase:
      return "invalid coinbase script size";
    case TxError::AmbiguousSize:
      return "transaction of 64 bytes";
  }
  return "unknown transaction error";
}

bool Transaction::is_coinbase() const { return inputs.size() == 1 && is_null(inputs[0].previous); }

bool Transaction::has_witness() const {
  return std::any_of(inputs.begin(), inputs.end(), [](const TxInput& input) { return !input.witness.empty(); });
}

Txid Transaction::txid() const { return util::retag<Txid>(util::sha256d(serialize(Witness::Strip))); }

Wtxid Transaction::wtxid() const { return util::retag<Wtxid>(util::sha256d(serialize(Witness::Include))); }

void Transaction::encode(util::Writer& out, Witness witness) const {
  const bool extended = witness == Witness::Include && has_witness();
  out.integer(version);
  if (extended) out.integer(std::uint8_t{0}).integer(std::uint8_t{1});
  encode_inputs(inputs, out);
  encode_outputs(outputs, out);
  if (extended) {
    for (const auto& input : inputs) {
      out.compact_size(input.witness.size());
      for (const auto& item : input.witness) out.var_bytes(item);
    }
  }
  out.integer(lock_time);
}

util::Bytes Transaction::serialize(Witness witness) const {
  util::Writer out;
  encode(out, witness);
  return out.take();
}

std::size_t Transaction::serialized_size(Witness witness) const {
  constexpr std::size_t kFixed = sizeof(version) + sizeof(lock_time);
  constexpr std::size_t kInput = 32 + 4 + 4;  // txid, index, sequence
  constexpr std::size_t kMarker = 2;
  const auto var = [](const util::Bytes& bytes) { return util::compact_size_length(bytes.size()) + bytes.size(); };
  std::size_t size = kFixed + util::compact_size_length(inputs.size()) + util::compact_size_length(outputs.size());
  for (const auto& input : inputs) size += kInput + var(input.script_sig);
  for (const auto& output : outputs) size += sizeof(output.value) + var(output.script_pubkey);
  if (witness == Witness::Strip || !has_witness()) return size;
  for (const auto& input : inputs) {
    size += util::compact_size_length(input.witness.size());
    for (const auto& item : input.witness) size += var(item);
  }
  return size + kMarker;
}

Transaction Transaction::decode(util::Reader& in) {
  Transaction tx;
  tx.version = in.integer<std::int32_t>();
  std::size_t input_count = in.count(0);
  std::uint8_t flags = 0;
  if (input_count == 0 && in.ok()) {  // no transaction has zero inputs: this is the marker of BIP144
    flags = in.integer<std::uint8_t>();
    if (flags != 1) in.fail();
    input_count = in.count(0);
  }
  if (input_count > in.remaining() / kMinInputSize) in.fail();
  if (!in.ok()) return tx;
  decode_inputs(in, input_count, tx.inputs);
  decode_outputs(in, tx.outputs);
  if (flags != 0) {
    for (auto& input : tx.inputs) decode_witness(in, input);
    if (!tx.has_witness()) in.fail();  // the extended form without a witness is not canonical
  }
  tx.lock_time = in.integer<std::uint32_t>();
  return tx;
}

util::Expected<Transaction, TxError> Transaction::parse(util::ByteView bytes) {
  util::Reader in(bytes);
  Transaction tx = decode(in);
  if (!in.done()) return util::Unexpected{TxError::Malformed};
  return tx;
}

util::Expected<void, TxError> check_structure(const Transaction& tx) {
  constexpr std::size_t kInnerNodeSize = 64;
  if (tx.inputs.empty()) return util::Unexpected{TxError::NoInputs};
  if (tx.outputs.empty()) return util::Unexpected{TxError::NoOutputs};
  Amount sum = 0;
  for (const auto& output : tx.outputs) {
    if (!is_money(output.value)) return util::Unexpected{TxError::BadAmount};
    sum += output.value;  // cannot overflow: checked after every addition of at most 21 million coins
    if (!is_money(sum)) return util::Unexpected{TxError::BadAmount};
  }
  std::vector<OutPoint> spent;
  spent.reserve(tx.inputs.size());
  for (const auto& input : tx.inputs) spent.push_back(input.previous);
  std::sort(spent.begin(), spent.end());
  if (std::adjacent_find(spent.begin(), spent.end()) != spent.end()) return util::Unexpected{TxError::DuplicateInput};
  if (tx.is_coinbase()) {
    const std::size_t size = tx.inputs[0].script_sig.size();
    if (size < 2 || size > 100) return util::Unexpected{TxError::BadCoinbase};
  } else if (std::any_of(spent.begin(), spent.end(), is_null)) {
    return util::Unexpected{TxError::NullInput};
  }
  if (tx.serialize(Witness::Strip).size() == kInnerNodeSize) return util::Unexpected{TxError::AmbiguousSize};
  return {};
}

}  // namespace spv::chain
