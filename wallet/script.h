// Output scripts: the standard forms, and the one push of each that goes into a bloom filter.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "util/bytes.h"
#include "util/hash.h"

namespace spv::wallet {

/// Consensus: no larger script runs.
inline constexpr std::size_t kMaxScriptSize = 10'000;

util::Bytes p2pkh_script(const util::Hash160& key_hash);
util::Bytes p2sh_script(const util::Hash160& script_hash);
/// Any witness version 0 to 16 with a program of 2 to 40 bytes.
util::Bytes witness_script(int version, util::ByteView program);
inline util::Bytes p2wpkh_script(const util::Hash160& key_hash) { return witness_script(0, key_hash); }

/// P2PK: the key itself, 33 or 65 bytes, and a signature check.
util::Bytes pay_to_key_script(util::ByteView key);
/// `threshold` signatures by some of at most 20 keys, in this order (OP_CHECKMULTISIG).
util::Bytes multisig_script(std::size_t threshold, std::span<const util::Bytes> keys);
/// OP_0 to OP_16.
std::uint8_t small_number_opcode(int number);

/// The key hash of a P2PKH script, the script hash of a P2SH script; nothing for any other.
std::optional<util::Hash160> as_p2pkh(util::ByteView script);
std::optional<util::Hash160> as_p2sh(util::ByteView script);
/// The key of a P2PK script, 33 or 65 bytes.
std::optional<util::ByteView> as_pay_to_key(util::ByteView script);
/// A multisig with keys of 33 or 65 bytes, if the script is one and written as multisig_script() writes it.
struct Multisig {
  std::size_t threshold = 0;
  std::vector<util::Bytes> keys;
};
std::optional<Multisig> as_multisig(util::ByteView script);
/// A witness program (BIP141), if the script is one.
struct WitnessProgram {
  int version = 0;
  util::ByteView program;
};
std::optional<WitnessProgram> as_witness_program(util::ByteView script);

/// The data push by which a node's filter finds this output: key hash, script hash, witness program, or the
/// longest push of any other script. Nothing if the script pushes no data: then BIP37 cannot watch it.
std::optional<util::ByteView> filter_element(util::ByteView script);

}  // namespace spv::wallet
