// Signatures of Bitcoin, verified: ECDSA in strict DER with low S (BIP66, 146) and Schnorr (BIP340). Nothing here
// touches a private key; those that make signatures are in private_signature.h.
#pragma once

#include "util/bytes.h"
#include "util/hash256.h"

namespace spv::wallet::spend {

/// Whether it is one DER encoding of two positive integers and nothing else, as BIP66 demands; without the byte of the
/// sighash type.
bool is_strict_der(util::ByteView signature);
/// `public_key` as scripts hold it, 33 or 65 bytes; `signature` without the byte of the sighash type.
bool verify_ecdsa(util::ByteView public_key, const util::Hash256& digest, util::ByteView signature);
/// `x_only_key` has 32 bytes, `signature` 64; a message of any size, which for a transaction is its digest.
bool verify_schnorr(util::ByteView x_only_key, util::ByteView message, util::ByteView signature);

}  // namespace spv::wallet::spend
