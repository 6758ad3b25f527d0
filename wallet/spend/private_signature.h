// Signatures of Bitcoin, made by a private key. A build without secrets refers to nothing here.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "util/bytes.h"
#include "util/hash256.h"
#include "wallet/public_key.h"

namespace spv::wallet::spend {

/// DER with low S and low R, at most 70 bytes; the nonce by RFC 6979, and with a counter until R is low, as Bitcoin
/// Core does it: the same key and digest give the same signature. Nothing if the key is not valid.
std::optional<util::Bytes> sign_ecdsa(const PrivateKey& key, const util::Hash256& digest);

/// BIP340. `auxiliary` strengthens the nonce against faults; all zeros are safe where the signature is verified.
std::optional<std::array<std::uint8_t, 64>> sign_schnorr(const PrivateKey& key, const util::Hash256& digest,
                                                         const std::array<std::uint8_t, 32>& auxiliary = {});

/// The private key of the output key that commits to no scripts (BIP341), from that of the internal key.
std::optional<PrivateKey> taproot_private_key(const PrivateKey& internal);

}  // namespace spv::wallet::spend
