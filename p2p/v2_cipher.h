// The packet encryption of BIP324: ChaCha20-Poly1305 for contents, ChaCha20 for lengths, both rekeyed every 224
// packets. Keys come by HKDF-SHA256 from the shared secret.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include <openssl/evp.h>

#include "util/bytes.h"
#include "util/secret.h"

namespace spv::p2p {

/// Packets under one key.
inline constexpr std::uint32_t kRekeyInterval = 224;
inline constexpr std::size_t kV2LengthBytes = 3;
inline constexpr std::size_t kV2HeaderBytes = 1;
inline constexpr std::size_t kV2TagBytes = 16;
/// What a packet has beside its contents.
inline constexpr std::size_t kV2Expansion = kV2LengthBytes + kV2HeaderBytes + kV2TagBytes;

struct FreeCipher {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using CipherContext = std::unique_ptr<EVP_CIPHER_CTX, FreeCipher>;

/// FSChaCha20: one key stream over many small chunks; encrypting and decrypting are the same.
class LengthCipher {
 public:
  explicit LengthCipher(const util::SecretArray<32>& key);
  void crypt(std::span<std::uint8_t> chunk);

 private:
  void start(const util::SecretArray<32>& key);
  CipherContext context_;
  std::uint64_t chunks_ = 0;
};

/// FSChaCha20Poly1305, for one direction.
class PacketCipher {
 public:
  enum class Direction { Encrypt, Decrypt };
  PacketCipher(const util::SecretArray<32>& key, Direction direction);

  /// Encrypts `data` where it stands and writes the 16 bytes of its tag.
  void encrypt(util::ByteView aad, std::span<std::uint8_t> data, std::uint8_t* tag);
  /// Decrypts where it stands; false: forged or out of step.
  [[nodiscard]] bool decrypt(util::ByteView aad, std::span<std::uint8_t> data, const std::uint8_t* tag);

 private:
  void start(util::ByteView aad);
  void advance();
  util::SecretArray<32> key_;
  CipherContext context_;
  std::uint64_t packets_ = 0;
};

/// One end of an encrypted connection once both keys are known.
class V2Cipher {
 public:
  using Terminator = std::array<std::uint8_t, 16>;
  struct Packet {
    bool decoy = false;
    util::ByteView contents;  // within the buffer that was decrypted
  };

  /// What the other end would send on a network with this magic.
  static Terminator receive_terminator_on(const std::array<std::uint8_t, 4>& magic, const util::SecretArray<32>& secret,
                                          bool initiating);
  V2Cipher(const util::SecretArray<32>& secret, const std::array<std::uint8_t, 4>& magic, bool initiating);

  /// Appends a whole packet to `out`: length, header, contents, tag.
  void encrypt(util::ByteView contents, util::ByteView aad, bool decoy, util::Bytes& out);
  /// The size of the contents that follow. Once a packet, in order.
  std::uint32_t decrypt_length(const std::uint8_t* field);
  /// Decrypts header, contents and tag in place; nullopt: forged.
  std::optional<Packet> decrypt(std::span<std::uint8_t> packet, util::ByteView aad);

  [[nodiscard]] const Terminator& send_terminator() const { return send_terminator_; }
  [[nodiscard]] const Terminator& receive_terminator() const { return receive_terminator_; }
  /// The same at both ends, unless someone sits between them.
  [[nodiscard]] const std::array<std::uint8_t, 32>& session_id() const { return session_id_; }

 private:
  struct Keys;
  explicit V2Cipher(const Keys& keys);
  LengthCipher send_length_;
  PacketCipher send_packet_;
  LengthCipher receive_length_;
  PacketCipher receive_packet_;
  Terminator send_terminator_{};
  Terminator receive_terminator_{};
  std::array<std::uint8_t, 32> session_id_{};
};

}  // namespace spv::p2p
