// Reading PSBTs: the maps first, then the rules of single fields, then what must agree between them.
#include <algorithm>
#include <limits>
#include <string>
#include <tuple>

#include "util/base64.h"
#include "util/codec.h"
#include "wallet/spend/psbt.h"
#include "wallet/spend/psbt_fields.h"

namespace spv::wallet::spend {
namespace {

using util::Expected;
using util::Unexpected;
using Code = PsbtErrorCode;

constexpr std::uint8_t kMagic[] = {'p', 's', 'b', 't', 0xFF};
/// An empty field takes a few bytes of the file and a hundred of memory.
constexpr std::size_t kMaxFields = 1'000'000;

bool has_duplicates(const PsbtMap& map) {
  std::vector<const PsbtField*> sorted;
  sorted.reserve(map.fields().size());
  for (const auto& field : map.fields()) sorted.push_back(&field);
  const auto key = [](const PsbtField* field) { return std::tie(field->type, field->key_data); };
  std::ranges::sort(sorted, {}, key);
  return std::ranges::adjacent_find(sorted, {}, key) != sorted.end();
}

/// Cuts the file into maps.
class MapReader {
 public:
  explicit MapReader(util::ByteView bytes) : in_(bytes) {}

  Expected<PsbtMap, PsbtError> next(const std::string& where) {
    PsbtMap map;
    while (true) {
      if (in_.remaining() == 0) return psbt_refused(Code::Malformed, "the PSBT is cut off: " + where + " does not end");
      const util::ByteView key = in_.var_view(kMaxPsbtBytes);
      if (in_.ok() && key.empty()) break;
      util::Reader key_reader(key);
      PsbtField field;
      field.type = key_reader.compact_size();
      field.key_data = util::to_bytes(key_reader.rest());
      field.value = in_.var_bytes(kMaxPsbtBytes);
      if (!in_.ok() || !key_reader.ok())
        return psbt_refused(Code::Malformed, "the PSBT is damaged or cut off in " + where);
      if (++fields_ > kMaxFields) return psbt_refused(Code::TooLarge, "the PSBT has more than 1,000,000 fields");
      map.append(std::move(field));
    }
    if (has_duplicates(map)) return psbt_refused(Code::DuplicateKey, "the PSBT has the same key twice in " + where);
    return map;
  }
  [[nodiscard]] std::size_t remaining() const { return in_.remaining(); }

 private:
  util::Reader in_;
  std::size_t fields_ = 0;
};

std::optional<std::uint64_t> count_in(const PsbtMap& global, std::uint64_t type) {
  const auto value = global.find(type);
  if (!value) return std::nullopt;
  return util::Reader(*value).compact_size();
}

Expected<void, PsbtError> read_version(Psbt& psbt) {
  psbt.version = number_in(psbt.global, psbt_global::kVersion).value_or(0);
  if (psbt.version == 0 || psbt.version == 2) return {};
  return psbt_refused(Code::UnknownVersion,
                      "the PSBT is of version " + std::to_string(psbt.version) + "; only 0 and 2 are known");
}

struct Counts {
  std::uint64_t inputs = 0;
  std::uint64_t outputs = 0;
};

/// Also reads the transaction of version 0.
Expected<Counts, PsbtError> read_counts(Psbt& psbt) {
  if (psbt.version == 2) {
    const auto inputs = count_in(psbt.global, psbt_global::kInputCount);
    const auto outputs = count_in(psbt.global, psbt_global::kOutputCount);
    if (inputs && outputs && psbt.global.has(psbt_global::kTxVersion)) return Counts{*inputs, *outputs};
    return psbt_refused(Code::MissingField,
                        "the PSBT of version 2 lacks its transaction version, input or output count");
  }
  const auto bytes = psbt.global.find(psbt_global::kUnsignedTx);
  if (!bytes) return psbt_refused(Code::MissingField, "the PSBT has no unsigned transaction");
  auto tx = decode_unsigned(*bytes);
  if (!tx) return psbt_refused(Code::Malformed, "the unsigned transaction of the PSBT does not decode");
  for (const auto& input : tx->inputs) {
    if (!input.script_sig.empty()) {
      return psbt_refused(Code::BadTransaction, "the unsigned transaction of the PSBT holds signatures");
    }
  }
  psbt.tx = std::move(*tx);
  return Counts{psbt.tx.inputs.size(), psbt.tx.outputs.size()};
}

Expected<void, PsbtError> read_maps(MapReader& in, std::uint64_t count, PsbtMapKind kind, const Psbt& psbt,
                                    std::vector<PsbtMap>& maps) {
  const bool is_input = kind == PsbtMapKind::Input;
  if (count > in.remaining()) {
    return psbt_refused(Code::Malformed, "the PSBT announces " + std::to_string(count) +
                                             (is_input ? " inputs" : " outputs") + ", which it does not have");
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::string where = is_input ? psbt_input_name(i) : psbt_output_name(i);
    auto map = in.next(where);
    if (!map) return Unexpected{map.error()};
    if (auto sound = check_fields(*map, kind, psbt.version, where); !sound) return sound;
    maps.push_back(std::move(*map));
  }
  return {};
}

/// The transaction of version 2.
Expected<void, PsbtError> assemble(Psbt& psbt) {
  const auto lock_time = lock_time_of(psbt.global, psbt.inputs);
  if (!lock_time) return Unexpected{lock_time.error()};
  psbt.tx.lock_time = *lock_time;
  psbt.tx.version = static_cast<std::int32_t>(number_in(psbt.global, psbt_global::kTxVersion).value_or(0));
  for (std::size_t i = 0; i < psbt.inputs.size(); ++i) {
    const auto txid = psbt.inputs[i].find(psbt_in::kPreviousTxid);
    const auto index = number_in(psbt.inputs[i], psbt_in::kOutputIndex);
    if (!txid || !index)
      return psbt_refused(Code::MissingField, psbt_input_name(i) + " of the PSBT does not say what it spends");
    chain::TxInput input;
    input.previous = {.txid = util::Reader(*txid).hash<chain::Txid>(), .index = *index};
    input.sequence = number_in(psbt.inputs[i], psbt_in::kSequence).value_or(0xFFFF'FFFF);
    psbt.tx.inputs.push_back(std::move(input));
  }
  for (std::size_t i = 0; i < psbt.outputs.size(); ++i) {
    const auto amount = psbt.outputs[i].find(psbt_out::kAmount);
    const auto script = psbt.outputs[i].find(psbt_out::kScript);
    if (!amount || !script)
      return psbt_refused(Code::MissingField, psbt_output_name(i) + " of the PSBT lacks amount or script");
    psbt.tx.outputs.push_back({util::Reader(*amount).integer<chain::Amount>(), util::to_bytes(*script)});
  }
  return {};
}

Expected<void, PsbtError> validate_transaction(const chain::Transaction& tx) {
  chain::Amount sum = 0;
  for (const auto& output : tx.outputs) {
    if (chain::is_money(output.value)) sum += output.value;
    if (!chain::is_money(output.value) || !chain::is_money(sum)) {
      return psbt_refused(Code::BadAmount, "the outputs of the PSBT are above 21 million coins or negative");
    }
  }
  std::vector<chain::OutPoint> spent;
  spent.reserve(tx.inputs.size());
  for (const auto& input : tx.inputs) spent.push_back(input.previous);
  std::ranges::sort(spent);
  if (std::ranges::adjacent_find(spent) == spent.end()) return {};
  return psbt_refused(Code::BadTransaction, "the transaction of the PSBT spends the same output twice");
}

/// What an input spends, by the two fields that say it.
Expected<std::optional<chain::TxOutput>, PsbtError> validate_utxo(const PsbtMap& input, const chain::OutPoint& outpoint,
                                                                  const std::string& where) {
  auto claimed = witness_utxo_in(input);
  const auto previous = previous_in(input);
  if (!previous) return claimed;
  if (previous->txid() != outpoint.txid) {
    return psbt_refused(Code::WrongPrevious, where + ": non_witness_utxo is not the transaction that the input spends");
  }
  if (outpoint.index >= previous->outputs.size()) {
    return psbt_refused(Code::WrongPrevious,
                        where + ": non_witness_utxo does not have the output that the input spends");
  }
  const auto& output = previous->outputs[outpoint.index];
  if (claimed && *claimed != output) {
    return psbt_refused(Code::UtxoMismatch, where + ": witness_utxo differs from non_witness_utxo; do not sign it");
  }
  return std::optional(output);
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\v\f";
  const auto first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

bool has_magic(util::ByteView bytes) {
  return bytes.size() >= std::size(kMagic) && std::ranges::equal(bytes.first(std::size(kMagic)), kMagic);
}

}  // namespace

Expected<std::uint32_t, PsbtError> lock_time_of(const PsbtMap& global, const std::vector<PsbtMap>& inputs) {
  bool heights = true;  // whether all that ask for one take a height
  bool times = true;
  std::uint32_t height = 0;
  std::uint32_t time = 0;
  for (const auto& input : inputs) {
    const auto needs_time = number_in(input, psbt_in::kTimeLock);
    const auto needs_height = number_in(input, psbt_in::kHeightLock);
    if (!needs_time && !needs_height) continue;
    heights = heights && needs_height;
    times = times && needs_time;
    height = std::max(height, needs_height.value_or(0));
    time = std::max(time, needs_time.value_or(0));
  }
  if (height == 0 && time == 0) return number_in(global, psbt_global::kFallbackLockTime).value_or(0);
  if (heights) return height;
  if (times) return time;
  return psbt_refused(Code::BadLockTime, "one input of the PSBT needs a height as lock time, another one a time");
}

Expected<void, PsbtError> validate(const Psbt& psbt) {
  if (auto sound = validate_transaction(psbt.tx); !sound) return sound;
  chain::Amount sum = 0;
  for (std::size_t i = 0; i < psbt.inputs.size(); ++i) {
    const auto spent = validate_utxo(psbt.inputs[i], psbt.tx.inputs[i].previous, psbt_input_name(i));
    if (!spent) return Unexpected{spent.error()};
    if (!*spent) continue;
    if (chain::is_money((*spent)->value)) sum += (*spent)->value;
    if (!chain::is_money((*spent)->value) || !chain::is_money(sum)) {
      return psbt_refused(Code::BadAmount, "the inputs of the PSBT are above 21 million coins or negative");
    }
  }
  return {};
}

Expected<Psbt, PsbtError> parse_psbt(util::ByteView bytes) {
  if (bytes.size() > kMaxPsbtBytes) return psbt_refused(Code::TooLarge, "the PSBT is above 16 MB");
  if (!has_magic(bytes))
    return psbt_refused(Code::NotPsbt, "this is not a PSBT: it does not begin with \"psbt\" and 0xff");
  MapReader in(bytes.subspan(std::size(kMagic)));
  Psbt psbt;
  auto global = in.next("the global map");
  if (!global) return Unexpected{global.error()};
  psbt.global = std::move(*global);
  if (auto known = read_version(psbt); !known) return Unexpected{known.error()};
  if (auto sound = check_fields(psbt.global, PsbtMapKind::Global, psbt.version, "the global map"); !sound) {
    return Unexpected{sound.error()};
  }
  const auto counts = read_counts(psbt);
  if (!counts) return Unexpected{counts.error()};
  auto read = read_maps(in, counts->inputs, PsbtMapKind::Input, psbt, psbt.inputs);
  if (read) read = read_maps(in, counts->outputs, PsbtMapKind::Output, psbt, psbt.outputs);
  if (!read) return Unexpected{read.error()};
  if (in.remaining() != 0) return psbt_refused(Code::TrailingBytes, "the PSBT has bytes behind its last map");
  if (psbt.version == 2) read = assemble(psbt);
  if (read) read = validate(psbt);
  if (!read) return Unexpected{read.error()};
  return psbt;
}

Expected<Psbt, PsbtError> read_psbt(util::ByteView file) {
  if (file.size() > kMaxPsbtBytes) return psbt_refused(Code::TooLarge, "the PSBT is above 16 MB");
  if (has_magic(file)) return parse_psbt(file);
  const auto bytes = util::from_base64(trimmed({reinterpret_cast<const char*>(file.data()), file.size()}));
  if (!bytes) return psbt_refused(Code::NotPsbt, "this is not a PSBT: neither its binary form nor base64");
  return parse_psbt(*bytes);
}

}  // namespace spv::wallet::spend
