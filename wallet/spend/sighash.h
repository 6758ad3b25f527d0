// What a signature signs: the digest of a transaction for one of its inputs, in the legacy form, by BIP143 (segwit v0)
// and by BIP341 (taproot, key path).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "chain/transaction.h"
#include "util/bytes.h"
#include "util/hash256.h"

namespace spv::wallet::spend {

inline constexpr std::uint8_t kSighashDefault = 0x00;  // taproot only: like ALL, and one byte shorter
inline constexpr std::uint8_t kSighashAll = 0x01;
inline constexpr std::uint8_t kSighashNone = 0x02;
inline constexpr std::uint8_t kSighashSingle = 0x03;
inline constexpr std::uint8_t kSighashAnyoneCanPay = 0x80;

/// A transaction with the outputs that it spends, and the hashes over all of them that each input needs again: signing
/// n inputs stays linear. Both must outlive it.
class SighashData {
 public:
  SighashData(const chain::Transaction& tx, std::span<const chain::TxOutput> spent);

  /// `type` as in consensus: all 32 bits are hashed. As old as Bitcoin: with SINGLE and no such output the digest is 1.
  [[nodiscard]] util::Hash256 legacy(std::size_t input, util::ByteView script_code, std::uint32_t type) const;
  /// BIP143.
  [[nodiscard]] util::Hash256 segwit_v0(std::size_t input, util::ByteView script_code, std::uint32_t type) const;
  /// BIP341, key path; nothing for a type that taproot does not have, or SINGLE without its output.
  [[nodiscard]] std::optional<util::Hash256> taproot(std::size_t input, std::uint8_t type,
                                                     std::optional<util::ByteView> annex = std::nullopt) const;

  [[nodiscard]] const chain::Transaction& tx() const { return tx_; }
  [[nodiscard]] std::span<const chain::TxOutput> spent() const { return spent_; }

 private:
  /// Single SHA-256 over all inputs or outputs; BIP143 hashes them once more.
  struct Shared {
    util::Hash256 outpoints;
    util::Hash256 amounts;
    util::Hash256 scripts;
    util::Hash256 sequences;
    util::Hash256 outputs;
  };

  const chain::Transaction& tx_;
  std::span<const chain::TxOutput> spent_;
  util::Bytes blank_inputs_;  // encoded, all with an empty script: of the same size each
  util::Bytes outputs_;       // encoded
  Shared shared_;
};

}  // namespace spv::wallet::spend
