// The hashes of Bitcoin over OpenSSL. The low-level calls are used on purpose: OpenSSL 3's
// one-shot and EVP calls fetch the algorithm anew and cost two to five times as much on 80 bytes.
#pragma once

#include <array>
#include <cstdint>

#include "util/bytes.h"
#include "util/hash256.h"

namespace spv::util {

using Hash160 = std::array<std::uint8_t, 20>;
using Hash512 = std::array<std::uint8_t, 64>;

Hash256 sha256(ByteView data);
/// SHA-256 twice.
Hash256 sha256d(ByteView data);
/// SHA-256 twice over two 32-byte halves: an inner node of a merkle tree.
Hash256 sha256d_pair(ByteView left, ByteView right);
Hash160 ripemd160(ByteView data);
/// RIPEMD-160 of SHA-256.
Hash160 hash160(ByteView data);
Hash512 hmac_sha512(ByteView key, ByteView data);
/// BIP340's tagged hash: sha256(sha256(tag) ‖ sha256(tag) ‖ data).
Hash256 tagged_sha256(std::string_view tag, ByteView data);

/// SHA-256 over several pieces.
class Sha256 {
 public:
  Sha256();
  Sha256& write(ByteView data);
  Hash256 finish();
  /// Finishes with a second SHA-256 over the digest.
  Hash256 finish_double();

 private:
  struct State {
    alignas(8) std::array<std::uint8_t, 128> raw;  // an OpenSSL SHA256_CTX; its header stays out of ours
  };
  State state_;
};

}  // namespace spv::util
