// Signing one input: which digest, by which keys, and how the signatures become a script or a witness. Every signature
// is verified after it is made: a fault of the machine must not give away a key or a coin.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "chain/transaction.h"
#include "util/bytes.h"
#include "util/hash256.h"
#include "wallet/spend/sighash.h"
#include "wallet/spend/solution.h"

namespace spv::wallet::spend {

/// A signature as scripts and PSBTs hold it.
struct KeySignature {
  util::Bytes public_key;  // as in the solution; taproot: the output key
  util::Bytes signature;   // DER and the byte of the sighash type; taproot: 64 bytes (DEFAULT)
};

/// Whoever holds the private keys: a seed, a hardware wallet, a phone's key store.
class SigningKeys {
 public:
  SigningKeys() = default;
  SigningKeys(const SigningKeys&) = delete;
  SigningKeys& operator=(const SigningKeys&) = delete;
  virtual ~SigningKeys() = default;

  /// A DER signature with low S, without the byte of the sighash type; nothing if the key is not here.
  [[nodiscard]] virtual std::optional<util::Bytes> ecdsa(const SpendKey& key, const util::Hash256& digest) const = 0;
  /// BIP340, by the key with the tweak of an output that commits to no scripts (BIP341).
  [[nodiscard]] virtual std::optional<std::array<std::uint8_t, 64>> schnorr(const SpendKey& key,
                                                                            const util::Hash256& digest) const = 0;
};

/// The signatures that these keys give for an input, at most as many as it needs; one that does not verify is left out.
/// `data` is of the transaction with all outputs that it spends.
std::vector<KeySignature> sign_input(const SighashData& data, std::size_t input, const Solution& solution,
                                     const SigningKeys& keys);

/// Whether it is a signature of this input by this key.
bool verify_signature(const SighashData& data, std::size_t input, const Solution& solution,
                      const KeySignature& signature);

/// Writes script and witness of an input; false, and nothing is changed, if signatures are missing.
bool finish_input(chain::TxInput& input, const Solution& solution, std::span<const KeySignature> signatures);

}  // namespace spv::wallet::spend
