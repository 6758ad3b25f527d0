// The roles of BIP174: who creates, updates, signs, combines, finalises and extracts. All are values in and values out;
// what a wallet knows comes in through PsbtWallet, and private keys stay behind SigningKeys.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "chain/transaction.h"
#include "wallet/key_ring.h"
#include "wallet/spend/draft.h"
#include "wallet/spend/psbt.h"
#include "wallet/spend/signer.h"

namespace spv::wallet::spend {

/// An output that the wallet has proven: its transaction is in a block of the best chain, or the wallet made it.
struct KnownCoin {
  chain::TxOutput output;
  std::optional<chain::Transaction> previous;  // with or without witness
};

/// A script that a descriptor of the wallet derives.
struct KnownScript {
  KeyId key;
  bool change = false;
  std::string path;                  // "m/84'/1'/0'/0/5"; empty without an origin
  std::optional<Solution> solution;  // nothing for addr() and raw()
};

/// What a wallet knows. Nothing of it is taken from a PSBT.
class PsbtWallet {
 public:
  PsbtWallet() = default;
  PsbtWallet(const PsbtWallet&) = delete;
  PsbtWallet& operator=(const PsbtWallet&) = delete;
  virtual ~PsbtWallet() = default;

  [[nodiscard]] virtual std::optional<KnownCoin> coin(const chain::OutPoint& outpoint) const = 0;
  [[nodiscard]] virtual std::optional<KnownScript> script(util::ByteView script_pubkey) const = 0;
  /// Whether a seed of ours has this key at the path of its origin (x-only for taproot); found by deriving it.
  [[nodiscard]] virtual bool derives(const SpendKey& key) const = 0;
  /// Whether this is the fingerprint of a master key of ours.
  [[nodiscard]] virtual bool is_ours(const Fingerprint& fingerprint) const = 0;
};

/// For those who have no wallet: nothing is known.
class NoPsbtWallet final : public PsbtWallet {
 public:
  [[nodiscard]] std::optional<KnownCoin> coin(const chain::OutPoint& /*outpoint*/) const override { return {}; }
  [[nodiscard]] std::optional<KnownScript> script(util::ByteView /*script*/) const override { return {}; }
  [[nodiscard]] bool derives(const SpendKey& /*key*/) const override { return false; }
  [[nodiscard]] bool is_ours(const Fingerprint& /*fingerprint*/) const override { return false; }
};

/// From a draft, with all that others need to sign it and to know our change. The previous transactions of inputs that
/// are not taproot are needed, and written without witness.
util::Expected<Psbt, PsbtError> create_psbt(const Draft& draft, std::uint32_t version = 0);

/// Adds what the wallet knows of inputs and outputs. What the file says already stays; where it contradicts what the
/// wallet has proven, it is refused as an attack.
util::Expected<Psbt, PsbtError> update_psbt(const Psbt& psbt, const PsbtWallet& wallet);

struct SignPolicy {
  /// Whether segwit v0 inputs of ours need non_witness_utxo (CVE-2020-14199), as legacy ones always do.
  bool require_previous = true;
};
struct SignedPsbt {
  Psbt psbt;
  std::size_t signatures = 0;  // how many were added
};
/// Signs the inputs of ours, or none: whatever psbt_check.h finds wrong is an error. Signs for scripts of the wallet
/// and for any key that the file names and the wallet derives.
util::Expected<SignedPsbt, PsbtError> sign_psbt(const Psbt& psbt, const PsbtWallet& wallet, const SigningKeys& keys,
                                                const SignPolicy& policy = {});

/// All that the PSBTs of one transaction say, in the version of the first. Of two signatures by one key the first
/// counts; if they differ in what is spent or by which scripts, they are refused.
util::Expected<Psbt, PsbtError> combine_psbts(std::span<const Psbt> psbts);

/// Makes scripts and witnesses of all inputs from their signatures, each of which is verified. If some are missing, the
/// error says of which input how many.
util::Expected<Psbt, PsbtError> finalize_psbt(const Psbt& psbt);

/// The transaction of a PSBT of which all inputs are final; where it says what they spend, they are verified.
util::Expected<chain::Transaction, PsbtError> extract_transaction(const Psbt& psbt);

}  // namespace spv::wallet::spend
