#include "wallet/public_key.h"

#include <cstring>

#include <secp256k1.h>

#include "util/ensure.h"
#include "util/hash.h"
#include "wallet/generator_table.h"

namespace spv::wallet {
namespace {

/// Needed where a private key becomes a point; made once, never changed afterwards.
const secp256k1_context* signing_context() {
  static const secp256k1_context* const kContext = secp256k1_context_create(SECP256K1_CONTEXT_NONE);
  return kContext;
}

const secp256k1_context* public_context() { return secp256k1_context_static; }

secp256k1_pubkey load(const std::array<std::uint8_t, 64>& opaque) {
  secp256k1_pubkey key;
  static_assert(sizeof key.data == 64);
  std::memcpy(key.data, opaque.data(), opaque.size());
  return key;
}

void store(const secp256k1_pubkey& key, std::array<std::uint8_t, 64>& opaque) {
  std::memcpy(opaque.data(), key.data, opaque.size());
}

template <std::size_t N>
std::array<std::uint8_t, N> serialize(const std::array<std::uint8_t, 64>& opaque, unsigned flags) {
  std::array<std::uint8_t, N> out{};
  std::size_t size = out.size();
  const secp256k1_pubkey key = load(opaque);
  util::ensure(secp256k1_ec_pubkey_serialize(public_context(), out.data(), &size, &key, flags) == 1 && size == N,
               "a public key must serialize");
  return out;
}

}  // namespace

std::optional<PublicKey> PublicKey::parse(util::ByteView bytes) {
  const bool compressed = bytes.size() == 33 && (bytes[0] == 2 || bytes[0] == 3);
  const bool uncompressed = bytes.size() == 65 && bytes[0] == 4;
  if (!compressed && !uncompressed) return std::nullopt;
  secp256k1_pubkey key;
  if (secp256k1_ec_pubkey_parse(public_context(), &key, bytes.data(), bytes.size()) != 1) return std::nullopt;
  PublicKey out;
  store(key, out.opaque_);
  return out;
}

std::optional<PublicKey> PublicKey::from_x(util::ByteView x) {
  if (x.size() != 32) return std::nullopt;
  CompressedKey bytes{2};
  std::memcpy(bytes.data() + 1, x.data(), x.size());
  return parse(bytes);
}

std::optional<PublicKey> PublicKey::of(const PrivateKey& key) {
  secp256k1_pubkey point;
  if (secp256k1_ec_pubkey_create(signing_context(), &point, key.bytes.data()) != 1) return std::nullopt;
  PublicKey out;
  store(point, out.opaque_);
  return out;
}

CompressedKey PublicKey::compressed() const { return serialize<33>(opaque_, SECP256K1_EC_COMPRESSED); }

UncompressedKey PublicKey::uncompressed() const { return serialize<65>(opaque_, SECP256K1_EC_UNCOMPRESSED); }

std::optional<PublicKey> PublicKey::plus(util::ByteView tweak, const GeneratorTable* table) const {
  util::ensure(tweak.size() == 32, "a tweak has 32 bytes");
  if (table != nullptr) return table->add_multiple(*this, tweak);
  secp256k1_pubkey key = load(opaque_);
  if (secp256k1_ec_pubkey_tweak_add(public_context(), &key, tweak.data()) != 1) return std::nullopt;
  PublicKey out;
  store(key, out.opaque_);
  return out;
}

std::optional<XOnlyKey> PublicKey::taproot_output_key(const GeneratorTable* table) const {
  const CompressedKey own = compressed();
  const util::ByteView x = util::ByteView(own).subspan(1);
  const auto internal = from_x(x);
  util::ensure(internal.has_value(), "every point has a twin with even y");
  const auto output = internal->plus(util::tagged_sha256("TapTweak", x).view(), table);
  if (!output) return std::nullopt;
  const CompressedKey bytes = output->compressed();
  XOnlyKey out{};
  std::memcpy(out.data(), bytes.data() + 1, out.size());
  return out;
}

std::optional<PrivateKey> tweak_add(const PrivateKey& key, util::ByteView tweak) {
  util::ensure(tweak.size() == 32, "a tweak has 32 bytes");
  PrivateKey out = key;
  if (secp256k1_ec_seckey_tweak_add(signing_context(), out.bytes.data(), tweak.data()) != 1) return std::nullopt;
  return out;
}

bool is_valid(const PrivateKey& key) { return secp256k1_ec_seckey_verify(public_context(), key.bytes.data()) == 1; }

}  // namespace spv::wallet
