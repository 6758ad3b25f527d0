#include "wallet/spend/signature.h"

#include <secp256k1.h>
#include <secp256k1_extrakeys.h>
#include <secp256k1_schnorrsig.h>

namespace spv::wallet::spend {
namespace {

constexpr std::uint8_t kDerSequence = 0x30;
constexpr std::uint8_t kDerInteger = 0x02;

/// The size of the integer that begins here, with tag and length; 0 if it is none, or not in its shortest form.
std::size_t der_integer_size(util::ByteView bytes) {
  if (bytes.size() < 3 || bytes[0] != kDerInteger || bytes[1] == 0) return 0;
  const std::size_t size = bytes[1];
  if (size > 33 || bytes.size() < size + 2) return 0;
  if ((bytes[2] & 0x80U) != 0) return 0;  // negative
  if (size > 1 && bytes[2] == 0 && (bytes[3] & 0x80U) == 0) return 0;
  return size + 2;
}

}  // namespace

bool is_strict_der(util::ByteView signature) {
  if (signature.size() < 8 || signature.size() > 72) return false;
  if (signature[0] != kDerSequence || signature[1] != signature.size() - 2) return false;
  const util::ByteView integers = signature.subspan(2);
  const std::size_t r = der_integer_size(integers);
  if (r == 0) return false;
  const std::size_t s = der_integer_size(integers.subspan(r));
  return s != 0 && r + s == integers.size();
}

bool verify_ecdsa(util::ByteView public_key, const util::Hash256& digest, util::ByteView signature) {
  const auto* const context = secp256k1_context_static;
  const bool compressed = public_key.size() == 33;
  const bool uncompressed = public_key.size() == 65 && public_key[0] == 4;  // the hybrid form is not standard
  if ((!compressed && !uncompressed) || !is_strict_der(signature)) return false;
  secp256k1_pubkey key;
  if (secp256k1_ec_pubkey_parse(context, &key, public_key.data(), public_key.size()) != 1) return false;
  secp256k1_ecdsa_signature parsed;
  if (secp256k1_ecdsa_signature_parse_der(context, &parsed, signature.data(), signature.size()) != 1) return false;
  if (secp256k1_ecdsa_signature_normalize(context, nullptr, &parsed) == 1) return false;  // high S
  return secp256k1_ecdsa_verify(context, &parsed, digest.bytes.data(), &key) == 1;
}

bool verify_schnorr(util::ByteView x_only_key, util::ByteView message, util::ByteView signature) {
  const auto* const context = secp256k1_context_static;
  if (x_only_key.size() != 32 || signature.size() != 64) return false;
  secp256k1_xonly_pubkey key;
  if (secp256k1_xonly_pubkey_parse(context, &key, x_only_key.data()) != 1) return false;
  return secp256k1_schnorrsig_verify(context, signature.data(), message.data(), message.size(), &key) == 1;
}

}  // namespace spv::wallet::spend
