#include "wallet/spend/private_signature.h"

#include <cstring>

#include <openssl/crypto.h>
#include <secp256k1.h>
#include <secp256k1_extrakeys.h>
#include <secp256k1_schnorrsig.h>

#include "util/hash.h"

namespace spv::wallet::spend {
namespace {

const secp256k1_context* signature_context() {
  static const secp256k1_context* const kContext = secp256k1_context_create(SECP256K1_CONTEXT_NONE);
  return kContext;
}

/// Its private half is wiped.
struct KeyPair {
  secp256k1_keypair pair{};
  KeyPair() = default;
  KeyPair(const KeyPair&) = delete;
  KeyPair& operator=(const KeyPair&) = delete;
  ~KeyPair() { OPENSSL_cleanse(&pair, sizeof pair); }
};

/// Below 2^255, so that its DER form needs no zero in front.
bool has_low_r(const secp256k1_ecdsa_signature& signature) {
  std::array<std::uint8_t, 64> compact{};
  secp256k1_ecdsa_signature_serialize_compact(signature_context(), compact.data(), &signature);
  return compact[0] < 0x80;
}

}  // namespace

std::optional<util::Bytes> sign_ecdsa(const PrivateKey& key, const util::Hash256& digest) {
  const auto* const context = signature_context();
  const auto sign = [&](secp256k1_ecdsa_signature& out, const void* extra) {
    return secp256k1_ecdsa_sign(context, &out, digest.bytes.data(), key.bytes.data(), secp256k1_nonce_function_rfc6979,
                                extra) == 1;
  };
  secp256k1_ecdsa_signature signature;
  bool made = sign(signature, nullptr);
  std::array<std::uint8_t, 32> extra{};
  for (std::uint32_t counter = 1; made && !has_low_r(signature); ++counter) {
    for (unsigned i = 0; i < 4; ++i) extra[i] = static_cast<std::uint8_t>(counter >> (8U * i));
    made = sign(signature, extra.data());
  }
  if (!made) return std::nullopt;
  util::Bytes out(72);
  std::size_t size = out.size();
  if (secp256k1_ecdsa_signature_serialize_der(context, out.data(), &size, &signature) != 1) return std::nullopt;
  out.resize(size);
  return out;
}

std::optional<std::array<std::uint8_t, 64>> sign_schnorr(const PrivateKey& key, const util::Hash256& digest,
                                                         const std::array<std::uint8_t, 32>& auxiliary) {
  KeyPair keys;
  if (secp256k1_keypair_create(signature_context(), &keys.pair, key.bytes.data()) != 1) return std::nullopt;
  std::array<std::uint8_t, 64> out{};
  if (secp256k1_schnorrsig_sign32(signature_context(), out.data(), digest.bytes.data(), &keys.pair, auxiliary.data()) !=
      1) {
    return std::nullopt;
  }
  return out;
}

std::optional<PrivateKey> taproot_private_key(const PrivateKey& internal) {
  const auto* const context = signature_context();
  KeyPair keys;
  if (secp256k1_keypair_create(context, &keys.pair, internal.bytes.data()) != 1) return std::nullopt;
  secp256k1_xonly_pubkey point;
  std::array<std::uint8_t, 32> x{};
  if (secp256k1_keypair_xonly_pub(context, &point, nullptr, &keys.pair) != 1) return std::nullopt;
  if (secp256k1_xonly_pubkey_serialize(context, x.data(), &point) != 1) return std::nullopt;
  const util::Hash256 tweak = util::tagged_sha256("TapTweak", x);
  if (secp256k1_keypair_xonly_tweak_add(context, &keys.pair, tweak.bytes.data()) != 1) return std::nullopt;
  PrivateKey out;
  if (secp256k1_keypair_sec(context, out.bytes.data(), &keys.pair) != 1) return std::nullopt;
  return out;
}

}  // namespace spv::wallet::spend
