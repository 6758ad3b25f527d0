// PSBT: a transaction on its way between those who sign it (BIP174, 370, 371). It is kept as the maps of the file, in
// their order, so that what is not known is written back byte for byte; psbt_fields.h reads single fields.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chain/transaction.h"
#include "util/bytes.h"
#include "util/expected.h"

namespace spv::wallet::spend {

/// No file above this is read.
inline constexpr std::size_t kMaxPsbtBytes = std::size_t{16} << 20U;

enum class PsbtErrorCode {
  TooLarge,          // the file, or the number of its fields
  NotPsbt,           // neither the binary form nor base64 of it
  Malformed,         // cut off, or a value that does not decode
  TrailingBytes,     // more than the maps that it announces
  DuplicateKey,      // one key twice in a map
  WrongField,        // a field of a wrong size, or one that this version does not have
  MissingField,      // one that this version must have
  UnknownVersion,    // neither 0 nor 2
  BadTransaction,    // signed already, or one input twice
  BadAmount,         // above 21 million, alone or summed up, or spent more than there is
  BadLockTime,       // inputs whose lock times exclude each other
  WrongPrevious,     // non_witness_utxo is another transaction, or does not have that output
  UtxoMismatch,      // witness_utxo differs from non_witness_utxo
  NoPrevious,        // an input of ours without non_witness_utxo (CVE-2020-14199)
  NoUtxo,            // an input of which nothing says what it spends
  Attack,            // other amounts or scripts than the wallet has proven
  WrongScript,       // redeem or witness script that the output does not commit to
  BadSighash,        // a sighash type other than DEFAULT and ALL
  BadSignature,      // a signature that does not verify
  Different,         // PSBTs of different transactions, or that contradict each other
  NothingToSign,     // no key of ours is needed
  Incomplete,        // signatures are missing
  UnsupportedScript  // a script that is not understood here
};
/// The name in JSON: "duplicate-key".
std::string_view to_string(PsbtErrorCode code);

struct PsbtError {
  PsbtErrorCode code = PsbtErrorCode::Malformed;
  std::string message;  // what is wrong and what to do
};

struct PsbtField {
  std::uint64_t type = 0;
  util::Bytes key_data;  // what follows the type in the key
  util::Bytes value;
  friend bool operator==(const PsbtField&, const PsbtField&) = default;
};

/// One map of the file: keys are unique, their order is kept.
class PsbtMap {
 public:
  [[nodiscard]] const std::vector<PsbtField>& fields() const { return fields_; }
  /// The value of a key, which in most types has no data.
  [[nodiscard]] std::optional<util::ByteView> find(std::uint64_t type, util::ByteView key_data = {}) const;
  [[nodiscard]] bool has(std::uint64_t type) const;
  /// All fields of a type; they stay valid until the map changes.
  [[nodiscard]] std::vector<const PsbtField*> all(std::uint64_t type) const;
  /// Replaces the value, or puts a new field behind those of its type and of smaller ones.
  void set(std::uint64_t type, util::ByteView key_data, util::Bytes value);
  void set(std::uint64_t type, util::Bytes value) { set(type, {}, std::move(value)); }
  /// Adds a field that is not there yet at the end.
  void append(PsbtField field) { fields_.push_back(std::move(field)); }
  /// Removes all fields for which `drop` holds.
  template <typename Predicate>
  void erase_if(Predicate drop) {
    std::erase_if(fields_, drop);
  }
  void erase(std::uint64_t type) {
    erase_if([type](const PsbtField& field) { return field.type == type; });
  }
  friend bool operator==(const PsbtMap&, const PsbtMap&) = default;

 private:
  std::vector<PsbtField> fields_;
};

/// The maps agree with `tx`: values come from parse_psbt, new_psbt and to_version.
struct Psbt {
  std::uint32_t version = 0;
  /// The transaction without scripts and witnesses; that of version 2 is put together from its fields.
  chain::Transaction tx;
  PsbtMap global;
  std::vector<PsbtMap> inputs;   // one for each input of tx
  std::vector<PsbtMap> outputs;  // the same for outputs
  friend bool operator==(const Psbt&, const Psbt&) = default;
};

/// Of version 0 or 2, with nothing but the transaction, whose inputs have neither script nor witness.
Psbt new_psbt(const chain::Transaction& tx, std::uint32_t version = 0);
/// The same in the other version, where there is one: 0 has no rules for lock times, and loses them.
Psbt to_version(const Psbt& psbt, std::uint32_t version);

/// A binary file.
util::Expected<Psbt, PsbtError> parse_psbt(util::ByteView bytes);
/// A file, binary or base64, which may have white space around it.
util::Expected<Psbt, PsbtError> read_psbt(util::ByteView file);
/// What holds of every PSBT, whoever reads it: amounts add up, previous transactions are those that the inputs name,
/// and the two forms of a spent output agree.
util::Expected<void, PsbtError> validate(const Psbt& psbt);

util::Bytes serialize(const Psbt& psbt);
std::string to_base64(const Psbt& psbt);

/// BIP370: the lock time that satisfies all inputs, heights before times; an error if none does.
util::Expected<std::uint32_t, PsbtError> lock_time_of(const PsbtMap& global, const std::vector<PsbtMap>& inputs);

}  // namespace spv::wallet::spend
