// The fields of PSBT maps: their types (BIP174, 370, 371, 373), the rules that a single field keeps, and their values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chain/transaction.h"
#include "util/bytes.h"
#include "wallet/key_expression.h"
#include "wallet/spend/psbt.h"

namespace spv::wallet::spend {

namespace psbt_global {
inline constexpr std::uint64_t kUnsignedTx = 0x00;
inline constexpr std::uint64_t kXpub = 0x01;
inline constexpr std::uint64_t kTxVersion = 0x02;
inline constexpr std::uint64_t kFallbackLockTime = 0x03;
inline constexpr std::uint64_t kInputCount = 0x04;
inline constexpr std::uint64_t kOutputCount = 0x05;
inline constexpr std::uint64_t kTxModifiable = 0x06;
inline constexpr std::uint64_t kVersion = 0xFB;
}  // namespace psbt_global

namespace psbt_in {
inline constexpr std::uint64_t kNonWitnessUtxo = 0x00;
inline constexpr std::uint64_t kWitnessUtxo = 0x01;
inline constexpr std::uint64_t kPartialSignature = 0x02;
inline constexpr std::uint64_t kSighashType = 0x03;
inline constexpr std::uint64_t kRedeemScript = 0x04;
inline constexpr std::uint64_t kWitnessScript = 0x05;
inline constexpr std::uint64_t kKeyPath = 0x06;
inline constexpr std::uint64_t kFinalScriptSig = 0x07;
inline constexpr std::uint64_t kFinalWitness = 0x08;
inline constexpr std::uint64_t kRipemd160 = 0x0A;
inline constexpr std::uint64_t kHash256 = 0x0D;
inline constexpr std::uint64_t kPreviousTxid = 0x0E;
inline constexpr std::uint64_t kOutputIndex = 0x0F;
inline constexpr std::uint64_t kSequence = 0x10;
inline constexpr std::uint64_t kTimeLock = 0x11;
inline constexpr std::uint64_t kHeightLock = 0x12;
inline constexpr std::uint64_t kTapKeySignature = 0x13;
inline constexpr std::uint64_t kTapScriptSignature = 0x14;
inline constexpr std::uint64_t kTapLeafScript = 0x15;
inline constexpr std::uint64_t kTapKeyPath = 0x16;
inline constexpr std::uint64_t kTapInternalKey = 0x17;
inline constexpr std::uint64_t kTapMerkleRoot = 0x18;
inline constexpr std::uint64_t kMusigParticipants = 0x1A;
inline constexpr std::uint64_t kMusigPartialSignature = 0x1C;
}  // namespace psbt_in

namespace psbt_out {
inline constexpr std::uint64_t kRedeemScript = 0x00;
inline constexpr std::uint64_t kWitnessScript = 0x01;
inline constexpr std::uint64_t kKeyPath = 0x02;
inline constexpr std::uint64_t kAmount = 0x03;
inline constexpr std::uint64_t kScript = 0x04;
inline constexpr std::uint64_t kTapInternalKey = 0x05;
inline constexpr std::uint64_t kTapTree = 0x06;
inline constexpr std::uint64_t kTapKeyPath = 0x07;
}  // namespace psbt_out

inline util::Unexpected<PsbtError> psbt_refused(PsbtErrorCode code, std::string message) {
  return util::Unexpected{PsbtError{code, std::move(message)}};
}
inline std::string psbt_input_name(std::size_t index) { return "input " + std::to_string(index); }
inline std::string psbt_output_name(std::size_t index) { return "output " + std::to_string(index); }

/// In all three kinds of maps: fields of one application.
inline constexpr std::uint64_t kPsbtProprietary = 0xFC;

enum class PsbtMapKind { Global, Input, Output };

/// Checks each known field of a map: its size, its form, and whether this version has it.
util::Expected<void, PsbtError> check_fields(const PsbtMap& map, PsbtMapKind kind, std::uint32_t version,
                                             const std::string& where);

/// An unsigned transaction: the form without witness, which may have no inputs.
std::optional<chain::Transaction> decode_unsigned(util::ByteView bytes);

/// The values below are those of maps that passed check_fields.
std::optional<std::uint32_t> number_in(const PsbtMap& map, std::uint64_t type);
std::optional<chain::Transaction> previous_in(const PsbtMap& input);
std::optional<chain::TxOutput> witness_utxo_in(const PsbtMap& input);
std::optional<std::vector<util::Bytes>> final_witness_in(const PsbtMap& input);
/// The value of a field without key data; empty if there is none.
util::Bytes bytes_in(const PsbtMap& map, std::uint64_t type);
bool is_final(const PsbtMap& input);

/// A key with the path that the file claims for it; taproot: x-only.
struct ClaimedKey {
  util::Bytes public_key;
  KeyOrigin origin;
};
std::vector<ClaimedKey> claimed_keys(const PsbtMap& map, std::uint64_t type);
std::vector<ClaimedKey> claimed_tap_keys(const PsbtMap& map, std::uint64_t type);

util::Bytes encode_little_endian(std::uint32_t number);
util::Bytes encode_origin(const KeyOrigin& origin);
util::Bytes encode_output(const chain::TxOutput& output);
util::Bytes encode_witness(const std::vector<util::Bytes>& witness);

}  // namespace spv::wallet::spend
