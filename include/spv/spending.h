// Spending: what a payment is asked for by, what comes of it, who signs it, and PSBTs (BIP174, 370, 371) as text.
// Amounts are in satoshis, fee rates in satoshis per 1,000 virtual bytes (1 sat/vB = 1000), PSBTs in base64.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <spv/result.h>
#include <string>
#include <string_view>
#include <vector>

namespace spv {

/// Who is paid.
struct Recipient {
  std::string address;
  std::optional<std::int64_t> amount;  ///< not set: all that is left; for one recipient only
};

/// What to pay, and how.
struct PaymentOptions {
  std::vector<Recipient> recipients;
  std::int64_t fee_rate = 0;       ///< 0: by the last FeesEvent; ErrorCode::Refused if none is known
  bool subtract_fee = false;       ///< the recipients pay the fee, in equal parts
  std::vector<std::string> coins;  ///< TXID:VOUT; if set, exactly these coins are spent
  std::string change;              ///< address that takes the change; empty: a new one of the wallet
  bool spend_unconfirmed = false;  ///< also coins of unconfirmed transactions that others made
  bool allow_high_fee = false;     ///< a fee above 25% of the amount
  bool allow_low_fee = false;      ///< a rate below what the peers relay
  std::uint32_t psbt_version = 0;  ///< 0 or 2
};

/// An input of a payment.
struct PaymentInput {
  std::string txid;
  std::uint32_t vout = 0;
  std::int64_t amount = 0;
};

/// An output of a payment.
struct PaymentOutput {
  std::string address;  ///< empty if the script has no address
  std::int64_t amount = 0;
  bool change = false;
};

/// A payment: created and not signed, or sent.
struct Payment {
  std::string txid;  ///< of a created one: changes if it spends legacy inputs
  std::string hex;   ///< the transaction; of a created one without signatures
  std::string psbt;  ///< of a created one
  std::int64_t fee = 0;
  std::int64_t vsize = 0;  ///< once it is signed, at most
  std::vector<PaymentInput> inputs;
  std::vector<PaymentOutput> outputs;
};

/// The key that a signature is wanted of.
struct SignerKey {
  std::vector<std::uint8_t> public_key;                    ///< 33 or 65 bytes; taproot: the internal key, 32 bytes
  std::optional<std::array<std::uint8_t, 4>> fingerprint;  ///< of the master key; not set if the descriptor says none
  std::vector<std::uint32_t> path;  ///< from the master key; hardened steps have the highest bit set
};

/// Keys that are held elsewhere: in a hardware wallet, in a phone's key store. The functions may take their time: no
/// lock is held. They are called on the thread that asked for the signatures. Every signature is verified.
struct Signer {
  /// A DER signature with low S, without the byte of the sighash type; nothing: not signed.
  std::function<std::optional<std::vector<std::uint8_t>>(const SignerKey&, const std::array<std::uint8_t, 32>& digest)>
      ecdsa;
  /// 64 bytes (BIP340) by the key with the tweak of an output without scripts (BIP341); nothing: not signed.
  std::function<std::optional<std::vector<std::uint8_t>>(const SignerKey&, const std::array<std::uint8_t, 32>& digest)>
      schnorr;
};

/// All signatures that the PSBTs of one transaction have.
Result<std::string> combine_psbts(const std::vector<std::string>& psbts);
/// Makes scripts and witnesses from the signatures, each of which is verified; fails if some are missing.
Result<std::string> finalize_psbt(std::string_view psbt);
/// The transaction of a PSBT that is complete, in hex; finalises it if needed.
Result<std::string> extract_transaction(std::string_view psbt);

}  // namespace spv
