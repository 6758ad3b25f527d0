#include "p2p/v2_cipher.h"

#include <algorithm>
#include <string>
#include <string_view>

#include <openssl/core_names.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

#include "util/ensure.h"

namespace spv::p2p {
namespace {

constexpr std::uint8_t kDecoyBit = 0x80;
using Nonce = std::array<std::uint8_t, 12>;

void check(int ok) { util::ensure(ok == 1, "OpenSSL refused a cipher operation"); }
int size_of(std::size_t size) { return static_cast<int>(size); }

// Four bytes that differ within a key, then the number of rekeyings.
Nonce nonce_of(std::uint32_t first, std::uint64_t rekeyings) {
  Nonce nonce{};
  for (std::size_t i = 0; i < 4; ++i) nonce[i] = static_cast<std::uint8_t>(first >> (8U * i));
  for (std::size_t i = 0; i < 8; ++i) nonce[4 + i] = static_cast<std::uint8_t>(rekeyings >> (8U * i));
  return nonce;
}

CipherContext new_context() {
  CipherContext context(EVP_CIPHER_CTX_new());
  util::ensure(context != nullptr, "out of memory");
  return context;
}

// OpenSSL's ChaCha20 takes the block counter in front of the nonce.
void start_chacha20(EVP_CIPHER_CTX* context, const util::SecretArray<32>& key, std::uint32_t block,
                    const Nonce& nonce) {
  std::array<std::uint8_t, 16> iv{};
  for (std::size_t i = 0; i < 4; ++i) iv[i] = static_cast<std::uint8_t>(block >> (8U * i));
  std::copy(nonce.begin(), nonce.end(), iv.begin() + 4);
  check(EVP_EncryptInit_ex(context, EVP_chacha20(), nullptr, key.bytes.data(), iv.data()));
}

void crypt_in_place(EVP_CIPHER_CTX* context, std::span<std::uint8_t> data) {
  if (data.empty()) return;
  int written = 0;
  check(EVP_CipherUpdate(context, data.data(), &written, data.data(), size_of(data.size())));
  util::ensure(size_of(data.size()) == written, "a stream cipher keeps nothing back");
}

struct FreeKdf {
  void operator()(EVP_KDF* kdf) const { EVP_KDF_free(kdf); }
  void operator()(EVP_KDF_CTX* context) const { EVP_KDF_CTX_free(context); }
};

// HKDF-SHA256, extract and expand in one.
util::SecretArray<32> hkdf(std::string salt, util::SecretArray<32> secret, std::string info) {
  const std::unique_ptr<EVP_KDF, FreeKdf> kdf(EVP_KDF_fetch(nullptr, "HKDF", nullptr));
  const std::unique_ptr<EVP_KDF_CTX, FreeKdf> context(EVP_KDF_CTX_new(kdf.get()));
  util::ensure(context != nullptr, "OpenSSL has no HKDF");
  std::string digest = "SHA256";
  const std::array<OSSL_PARAM, 5> parameters = {
      OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest.data(), digest.size()),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, salt.data(), salt.size()),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, secret.bytes.data(), secret.bytes.size()),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, info.data(), info.size()), OSSL_PARAM_construct_end()};
  util::SecretArray<32> out;
  check(EVP_KDF_derive(context.get(), out.bytes.data(), out.bytes.size(), parameters.data()));
  return out;
}

}  // namespace

LengthCipher::LengthCipher(const util::SecretArray<32>& key) : context_(new_context()) { start(key); }

void LengthCipher::start(const util::SecretArray<32>& key) {
  start_chacha20(context_.get(), key, 0, nonce_of(0, chunks_ / kRekeyInterval));
}

void LengthCipher::crypt(std::span<std::uint8_t> chunk) {
  crypt_in_place(context_.get(), chunk);
  if (++chunks_ % kRekeyInterval != 0) return;
  util::SecretArray<32> next;
  crypt_in_place(context_.get(), next.bytes);  // the next bytes of the key stream
  start(next);
}

PacketCipher::PacketCipher(const util::SecretArray<32>& key, Direction direction) : key_(key), context_(new_context()) {
  // The algorithm is looked up here once; a packet then sets the nonce alone.
  check(EVP_CipherInit_ex(context_.get(), EVP_chacha20_poly1305(), nullptr, key_.bytes.data(), nullptr,
                          direction == Direction::Encrypt ? 1 : 0));
}

void PacketCipher::start(util::ByteView aad) {
  const auto nonce = nonce_of(static_cast<std::uint32_t>(packets_ % kRekeyInterval), packets_ / kRekeyInterval);
  check(EVP_CipherInit_ex(context_.get(), nullptr, nullptr, nullptr, nonce.data(), -1));
  int written = 0;
  if (!aad.empty()) check(EVP_CipherUpdate(context_.get(), nullptr, &written, aad.data(), size_of(aad.size())));
}

void PacketCipher::advance() {
  if (++packets_ % kRekeyInterval != 0) return;
  // The new key is what 32 zero bytes encrypt to, which is the key stream from its second block.
  const CipherContext stream = new_context();
  start_chacha20(stream.get(), key_, 1, nonce_of(0xFFFF'FFFF, (packets_ - 1) / kRekeyInterval));
  util::SecretArray<32> next;
  crypt_in_place(stream.get(), next.bytes);
  key_ = next;
  check(EVP_CipherInit_ex(context_.get(), nullptr, nullptr, key_.bytes.data(), nullptr, -1));
}

void PacketCipher::encrypt(util::ByteView aad, std::span<std::uint8_t> data, std::uint8_t* tag) {
  start(aad);
  crypt_in_place(context_.get(), data);
  int written = 0;
  std::array<std::uint8_t, 16> rest{};
  check(EVP_CipherFinal_ex(context_.get(), rest.data(), &written));
  check(EVP_CIPHER_CTX_ctrl(context_.get(), EVP_CTRL_AEAD_GET_TAG, size_of(kV2TagBytes), tag));
  advance();
}

bool PacketCipher::decrypt(util::ByteView aad, std::span<std::uint8_t> data, const std::uint8_t* tag) {
  start(aad);
  std::array<std::uint8_t, kV2TagBytes> expected{};
  std::copy_n(tag, expected.size(), expected.begin());
  check(EVP_CIPHER_CTX_ctrl(context_.get(), EVP_CTRL_AEAD_SET_TAG, size_of(expected.size()), expected.data()));
  crypt_in_place(context_.get(), data);
  int written = 0;
  std::array<std::uint8_t, 16> rest{};
  const bool authentic = EVP_CipherFinal_ex(context_.get(), rest.data(), &written) == 1;
  advance();
  return authentic;
}

namespace {

std::string salt_of(const std::array<std::uint8_t, 4>& magic) {
  return "bitcoin_v2_shared_secret" + std::string(magic.begin(), magic.end());
}

util::SecretArray<32> terminators_of(const std::string& salt, const util::SecretArray<32>& secret) {
  return hkdf(salt, secret, "garbage_terminators");
}

}  // namespace

V2Cipher::Terminator V2Cipher::receive_terminator_on(const std::array<std::uint8_t, 4>& magic,
                                                     const util::SecretArray<32>& secret, bool initiating) {
  const auto both = terminators_of(salt_of(magic), secret);
  Terminator out{};
  std::copy_n(both.bytes.begin() + (initiating ? 16 : 0), out.size(), out.begin());
  return out;
}

struct V2Cipher::Keys {
  util::SecretArray<32> send_length;
  util::SecretArray<32> send_packet;
  util::SecretArray<32> receive_length;
  util::SecretArray<32> receive_packet;
  util::SecretArray<32> terminators;
  util::SecretArray<32> session_id;
  bool initiating;

  Keys(const util::SecretArray<32>& secret, const std::array<std::uint8_t, 4>& magic, bool is_initiating)
      : initiating(is_initiating) {
    const std::string salt = salt_of(magic);
    const std::string ours = initiating ? "initiator_" : "responder_";
    const std::string theirs = initiating ? "responder_" : "initiator_";
    send_length = hkdf(salt, secret, ours + "L");
    send_packet = hkdf(salt, secret, ours + "P");
    receive_length = hkdf(salt, secret, theirs + "L");
    receive_packet = hkdf(salt, secret, theirs + "P");
    terminators = terminators_of(salt, secret);
    session_id = hkdf(salt, secret, "session_id");
  }
};

V2Cipher::V2Cipher(const util::SecretArray<32>& secret, const std::array<std::uint8_t, 4>& magic, bool initiating)
    : V2Cipher(Keys(secret, magic, initiating)) {}

V2Cipher::V2Cipher(const Keys& keys)
    : send_length_(keys.send_length),
      send_packet_(keys.send_packet, PacketCipher::Direction::Encrypt),
      receive_length_(keys.receive_length),
      receive_packet_(keys.receive_packet, PacketCipher::Direction::Decrypt),
      session_id_(keys.session_id.bytes) {
  Terminator& initiator = keys.initiating ? send_terminator_ : receive_terminator_;
  Terminator& responder = keys.initiating ? receive_terminator_ : send_terminator_;
  std::copy_n(keys.terminators.bytes.begin(), 16, initiator.begin());
  std::copy_n(keys.terminators.bytes.begin() + 16, 16, responder.begin());
}

void V2Cipher::encrypt(util::ByteView contents, util::ByteView aad, bool decoy, util::Bytes& out) {
  util::ensure(contents.size() < (1U << 24U), "packet longer than its length field can say");
  const std::size_t begin = out.size();
  out.resize(begin + kV2Expansion + contents.size());  // not reserve(): that would copy all of `out` for each packet
  const auto packet = std::span(out).subspan(begin);
  for (std::size_t i = 0; i < kV2LengthBytes; ++i) packet[i] = static_cast<std::uint8_t>(contents.size() >> (8U * i));
  send_length_.crypt(packet.first(kV2LengthBytes));
  const auto data = packet.subspan(kV2LengthBytes, kV2HeaderBytes + contents.size());
  data[0] = decoy ? kDecoyBit : 0;
  std::copy(contents.begin(), contents.end(), data.begin() + kV2HeaderBytes);
  send_packet_.encrypt(aad, data, data.data() + data.size());
}

std::uint32_t V2Cipher::decrypt_length(const std::uint8_t* field) {
  std::array<std::uint8_t, kV2LengthBytes> length{};
  std::copy_n(field, length.size(), length.begin());
  receive_length_.crypt(length);
  return length[0] | (std::uint32_t{length[1]} << 8U) | (std::uint32_t{length[2]} << 16U);
}

std::optional<V2Cipher::Packet> V2Cipher::decrypt(std::span<std::uint8_t> packet, util::ByteView aad) {
  util::ensure(packet.size() >= kV2HeaderBytes + kV2TagBytes, "a packet has a header and a tag");
  const auto data = packet.first(packet.size() - kV2TagBytes);
  if (!receive_packet_.decrypt(aad, data, packet.data() + data.size())) return std::nullopt;
  return Packet{.decoy = (data[0] & kDecoyBit) != 0, .contents = data.subspan(kV2HeaderBytes)};
}

}  // namespace spv::p2p
