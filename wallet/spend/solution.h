// Solution: how an output script of ours is spent: the scripts behind it, and the keys that may sign for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "util/bytes.h"
#include "wallet/descriptor.h"
#include "wallet/key_expression.h"

namespace spv::wallet::spend {

/// A key that a script names, and where it comes from.
struct SpendKey {
  util::Bytes public_key;           // as the script holds it, 33 or 65 bytes; taproot: the internal key, 32 bytes
  std::optional<KeyOrigin> origin;  // the master key's fingerprint and the whole path from it to this key
};

/// What a signature is made for.
enum class SpendForm {
  Pk,     // <key> OP_CHECKSIG
  Pkh,    // the key's hash
  Wpkh,   // the same as witness program of version 0
  Tr,     // taproot, spent by its key; commits to no scripts
  Multi,  // some of several keys, by OP_CHECKMULTISIG
};

struct Solution {
  SpendForm form = SpendForm::Wpkh;
  util::Bytes script_pubkey;
  util::Bytes redeem_script;   // where script_pubkey is P2SH
  util::Bytes witness_script;  // where it is, or the redeem script is, P2WSH
  std::vector<SpendKey> keys;  // one; of a multisig all, in the order of its script
  std::size_t threshold = 1;   // signatures needed

  [[nodiscard]] bool is_p2sh() const { return !redeem_script.empty(); }
  [[nodiscard]] bool is_p2wsh() const { return !witness_script.empty(); }
  /// Signed by BIP143 (version 0) or BIP341 (version 1).
  [[nodiscard]] bool is_segwit() const { return form == SpendForm::Wpkh || form == SpendForm::Tr || is_p2wsh(); }
};

/// The script that a signature of it commits to: the innermost one, and for a key's hash in a witness program the
/// script of BIP143. Empty for taproot.
util::Bytes script_code(const Solution& solution);

/// How an output script is spent, by the scripts behind it (empty where there are none) and the keys that are known, as
/// a PSBT tells them: for taproot the internal key. The hashes are checked. Nothing for a script of another form and
/// where a key is missing that only its hash names; keys of a multisig that are not known have no origin.
std::optional<Solution> solve_script(util::ByteView script_pubkey, util::ByteView redeem_script,
                                     util::ByteView witness_script, std::span<const SpendKey> known);

/// Nothing for addr() and raw(), which say nothing about keys, and for the one index in 2^127 without a key.
std::optional<Solution> solve(const Descriptor& descriptor, std::uint32_t index);

}  // namespace spv::wallet::spend
