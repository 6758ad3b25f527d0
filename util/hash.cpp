// OpenSSL 3 marks its low-level digests as deprecated but keeps them; see hash.h for why we call them.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "util/hash.h"

#include <algorithm>

#include <openssl/ripemd.h>
#include <openssl/sha.h>

#include "util/secret.h"

namespace spv::util {
namespace {

SHA256_CTX* context(void* raw) { return static_cast<SHA256_CTX*>(raw); }

Hash256 second_round(const Hash256& first) { return sha256(first.view()); }

Hash512 keyed_sha512(SecretArray<SHA512_CBLOCK> key, std::uint8_t mask, ByteView data) {
  for (auto& byte : key.bytes) byte ^= mask;
  Hash512 out{};
  SHA512_CTX ctx;
  SHA512_Init(&ctx);
  SHA512_Update(&ctx, key.bytes.data(), key.bytes.size());
  SHA512_Update(&ctx, data.data(), data.size());
  SHA512_Final(out.data(), &ctx);
  OPENSSL_cleanse(&ctx, sizeof ctx);
  return out;
}

}  // namespace

Sha256::Sha256() {
  static_assert(sizeof(SHA256_CTX) <= sizeof(State::raw));
  SHA256_Init(context(state_.raw.data()));
}

Sha256& Sha256::write(ByteView data) {
  SHA256_Update(context(state_.raw.data()), data.data(), data.size());
  return *this;
}

Hash256 Sha256::finish() {
  Hash256 out;
  SHA256_Final(out.bytes.data(), context(state_.raw.data()));
  return out;
}

Hash256 Sha256::finish_double() { return second_round(finish()); }

Hash256 sha256(ByteView data) {
  SHA256_CTX ctx;
  SHA256_Init(&ctx);
  SHA256_Update(&ctx, data.data(), data.size());
  Hash256 out;
  SHA256_Final(out.bytes.data(), &ctx);
  return out;
}

Hash256 sha256d(ByteView data) { return second_round(sha256(data)); }

Hash256 sha256d_pair(ByteView left, ByteView right) {
  SHA256_CTX ctx;
  SHA256_Init(&ctx);
  SHA256_Update(&ctx, left.data(), left.size());
  SHA256_Update(&ctx, right.data(), right.size());
  Hash256 out;
  SHA256_Final(out.bytes.data(), &ctx);
  return second_round(out);
}

Hash160 ripemd160(ByteView data) {
  Hash160 out{};
  RIPEMD160_CTX ctx;
  RIPEMD160_Init(&ctx);
  RIPEMD160_Update(&ctx, data.data(), data.size());
  RIPEMD160_Final(out.data(), &ctx);
  return out;
}

Hash160 hash160(ByteView data) { return ripemd160(sha256(data).view()); }

Hash512 hmac_sha512(ByteView key, ByteView data) {
  SecretArray<SHA512_CBLOCK> block;
  if (key.size() > block.bytes.size()) {
    SHA512(key.data(), key.size(), block.bytes.data());
  } else {
    std::copy(key.begin(), key.end(), block.bytes.begin());
  }
  Hash512 inner = keyed_sha512(block, 0x36, data);
  const Hash512 out = keyed_sha512(block, 0x5C, inner);
  OPENSSL_cleanse(inner.data(), inner.size());
  return out;
}

Hash256 tagged_sha256(std::string_view tag, ByteView data) {
  const Hash256 prefix = sha256(as_bytes(tag));
  return Sha256().write(prefix.view()).write(prefix.view()).write(data).finish();
}

}  // namespace spv::util
