// A transaction, with and without witness (BIP141/144), and the structural rules that need no context.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "chain/types.h"
#include "util/bytes.h"
#include "util/codec.h"
#include "util/expected.h"

namespace spv::chain {

struct OutPoint {
  static constexpr std::size_t kSize = 36;
  Txid txid;
  std::uint32_t index = 0;

  /// Wire form, which is also the element of a bloom filter: txid in wire order, index little-endian.
  [[nodiscard]] std::array<std::uint8_t, kSize> bytes() const;
  friend auto operator<=>(const OutPoint&, const OutPoint&) = default;
};

struct TxInput {
  OutPoint previous;
  util::Bytes script_sig;
  std::uint32_t sequence = 0xFFFF'FFFF;
  std::vector<util::Bytes> witness;
  friend bool operator==(const TxInput&, const TxInput&) = default;
};

struct TxOutput {
  Amount value = 0;
  util::Bytes script_pubkey;
  friend bool operator==(const TxOutput&, const TxOutput&) = default;
};

/// Why a transaction cannot be part of any valid block.
enum class TxError {
  Malformed,  // does not decode
  NoInputs,
  NoOutputs,
  BadAmount,  // an output or their sum is negative or above 21 million
  DuplicateInput,
  NullInput,      // a null previous output in a transaction that is no coinbase
  BadCoinbase,    // coinbase script not 2 to 100 bytes
  AmbiguousSize,  // 64 bytes without witness: could pose as an inner node of a merkle tree (CVE-2017-12842)
};
std::string_view to_string(TxError error);

enum class Witness { Include, Strip };

struct Transaction {
  std::int32_t version = 2;
  std::vector<TxInput> inputs;
  std::vector<TxOutput> outputs;
  std::uint32_t lock_time = 0;

  [[nodiscard]] bool is_coinbase() const;
  [[nodiscard]] bool has_witness() const;
  /// Hash of the form without witness; computed on every call.
  [[nodiscard]] Txid txid() const;
  [[nodiscard]] Wtxid wtxid() const;
  /// With Include, a transaction that has no witness is written in the old form.
  void encode(util::Writer& out, Witness witness = Witness::Include) const;
  [[nodiscard]] util::Bytes serialize(Witness witness = Witness::Include) const;
  /// How many bytes that are, without making them.
  [[nodiscard]] std::size_t serialized_size(Witness witness = Witness::Include) const;
  /// Reads either form; on bad input the reader fails.
  static Transaction decode(util::Reader& in);
  /// A whole buffer that must hold one transaction and nothing else.
  static util::Expected<Transaction, TxError> parse(util::ByteView bytes);
  friend bool operator==(const Transaction&, const Transaction&) = default;
};

/// The context-free rules of consensus, and the 64-byte rule of SPV clients.
util::Expected<void, TxError> check_structure(const Transaction& tx);

}  // namespace spv::chain

template <>
struct std::hash<spv::chain::OutPoint> {
  std::size_t operator()(const spv::chain::OutPoint& outpoint) const noexcept {
    return std::hash<spv::chain::Txid>{}(outpoint.txid) ^ (std::size_t{outpoint.index} * 0x9E37'79B9'7F4A'7C15ULL);
  }
};
