// ElligatorSwift (BIP324): public keys of secp256k1 as 64 bytes that look random, and ECDH on x coordinates alone.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "util/bytes.h"
#include "util/secret.h"

namespace spv::p2p {

/// An encoded public key. Any 64 bytes are one.
using EllSwift = std::array<std::uint8_t, 64>;
/// An element of secp256k1's field, big-endian.
using FieldBytes = std::array<std::uint8_t, 32>;

/// XSwiftEC: the x coordinate that an encoding stands for.
FieldBytes decode_ell_swift(const EllSwift& encoding);

/// XSwiftECInv: the t with which (u, t) encodes x, for one of eight cases (0 to 7); nullopt where the case has none.
std::optional<FieldBytes> invert_ell_swift(const FieldBytes& x, const FieldBytes& u, unsigned which);

/// A uniformly drawn encoding of the key's public point; nullopt if the key is none (zero or too large).
/// `entropy` is fresh: it decides which of the many encodings.
std::optional<EllSwift> encode_ell_swift(const util::SecretArray<32>& key, const std::array<std::uint8_t, 32>& entropy);

/// The x coordinate of key·point, for either point with this x; nullopt if the key or the x is none. The only
/// operation on secrets here, in constant time.
std::optional<util::SecretArray<32>> multiply_x(const FieldBytes& x, const util::SecretArray<32>& key);

/// BIP324's shared secret from our key and both encodings.
std::optional<util::SecretArray<32>> ell_swift_secret(const util::SecretArray<32>& key, const EllSwift& ours,
                                                      const EllSwift& theirs, bool initiating);

}  // namespace spv::p2p
