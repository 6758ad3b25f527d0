#include "wallet/secret_box.h"

#include <algorithm>
#include <memory>

#include <openssl/evp.h>

#include "util/codec.h"
#include "util/ensure.h"

namespace spv::wallet {
namespace {

constexpr std::string_view kMagic = "spvs";
constexpr std::uint8_t kVersion = 1;
constexpr std::size_t kKeySize = 32;
constexpr std::size_t kTagSize = 16;
constexpr std::size_t kHeaderSize = 4 + 1 + 3 + 32 + 12;
constexpr std::uint8_t kMaxLog2N = 20;
constexpr unsigned kMaxBlocks = 16;
// Enough for every cost that is bearable, and a little for the library's own.
constexpr std::uint64_t kMaxMemory = (128ULL << kMaxLog2N) * kMaxBlocks + (1ULL << 20);

struct FreeContext {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_CIPHER_CTX, FreeContext>;

struct Header {
  ScryptCost cost;
  BoxEntropy entropy;
};

util::Bytes encode(const Header& header) {
  util::Writer out(kHeaderSize);
  out.bytes(util::as_bytes(kMagic)).integer(kVersion);
  out.integer(header.cost.log2_n).integer(header.cost.r).integer(header.cost.p);
  out.bytes(header.entropy.salt).bytes(header.entropy.nonce);
  return out.take();
}

util::Expected<Header, SecretBoxError> decode(util::ByteView box) {
  if (box.size() < kHeaderSize + kTagSize) return util::Unexpected{SecretBoxError::Malformed};
  util::Reader in(box.first(kHeaderSize));
  const bool ours = std::ranges::equal(in.view(kMagic.size()), util::as_bytes(kMagic));
  if (in.integer<std::uint8_t>() != kVersion || !ours) return util::Unexpected{SecretBoxError::Malformed};
  Header header;
  header.cost.log2_n = in.integer<std::uint8_t>();
  header.cost.r = in.integer<std::uint8_t>();
  header.cost.p = in.integer<std::uint8_t>();
  header.entropy.salt = in.array<32>();
  header.entropy.nonce = in.array<12>();
  if (!header.cost.is_bearable()) return util::Unexpected{SecretBoxError::TooCostly};
  return header;
}

// Begins either direction: key, nonce, and what is bound but not hidden.
Context begin(bool encrypt, util::ByteView key, const Header& header, chain::Network network) {
  Context context(EVP_CIPHER_CTX_new());
  util::ensure(context != nullptr, "OpenSSL has no memory for a cipher");
  util::ensure(EVP_CipherInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, key.data(), header.entropy.nonce.data(),
                                 encrypt ? 1 : 0) == 1,
               "AES-256-GCM of OpenSSL must work");
  const util::Bytes bound = encode(header);
  const auto name = util::as_bytes(chain::params(network).name);
  int written = 0;
  for (const util::ByteView part : {util::ByteView(bound), util::ByteView(name)}) {
    util::ensure(EVP_CipherUpdate(context.get(), nullptr, &written, part.data(), static_cast<int>(part.size())) == 1,
                 "AES-256-GCM takes associated data");
  }
  return context;
}

}  // namespace

bool ScryptCost::is_bearable() const {
  return log2_n >= 1 && log2_n <= kMaxLog2N && r >= 1 && p >= 1 && unsigned{r} * unsigned{p} <= kMaxBlocks;
}

std::string_view to_string(SecretBoxError error) {
  switch (error) {
    case SecretBoxError::Malformed:
      return "the encrypted seed has an unknown format; update spv or restore from the mnemonic";
    case SecretBoxError::TooCostly:
      return "the encrypted seed has invalid scrypt parameters; the file is damaged or forged, use a backup "
             "or restore from the mnemonic";
    case SecretBoxError::NoMemory:
      return "not enough memory to derive the key from the passphrase; close other programs and try again";
    case SecretBoxError::WrongPassphrase:
      return "the passphrase is wrong; try again";
  }
  return "unknown";
}

std::optional<util::SecretBytes> scrypt(util::ByteView passphrase, util::ByteView salt, const ScryptCost& cost,
                                        std::size_t size) {
  util::SecretBytes key(size);
  const int done =
      EVP_PBE_scrypt(reinterpret_cast<const char*>(passphrase.data()), passphrase.size(), salt.data(), salt.size(),
                     std::uint64_t{1} << cost.log2_n, cost.r, cost.p, kMaxMemory, key.data(), key.size());
  if (done != 1) return std::nullopt;
  return key;
}

util::Expected<util::SecretBytes, SecretBoxError> seal_secret(util::ByteView secret, util::ByteView passphrase,
                                                              chain::Network network, const BoxEntropy& entropy,
                                                              const ScryptCost& cost) {
  util::ensure(cost.is_bearable(), "a box must be one that can be opened");
  const Header header{cost, entropy};
  const auto key = scrypt(passphrase, entropy.salt, cost, kKeySize);
  if (!key) return util::Unexpected{SecretBoxError::NoMemory};
  const util::Bytes head = encode(header);
  util::SecretBytes box(head.begin(), head.end());
  box.resize(kHeaderSize + secret.size() + kTagSize);
  const Context context = begin(true, *key, header, network);
  int written = 0;
  bool good = EVP_EncryptUpdate(context.get(), box.data() + kHeaderSize, &written, secret.data(),
                                static_cast<int>(secret.size())) == 1;
  good = good && EVP_EncryptFinal_ex(context.get(), box.data() + kHeaderSize + written, &written) == 1;
  good = good && EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_GET_TAG, int{kTagSize},
                                     box.data() + kHeaderSize + secret.size()) == 1;
  util::ensure(good, "AES-256-GCM of OpenSSL must work");
  return box;
}

util::Expected<util::SecretBytes, SecretBoxError> open_secret(util::ByteView box, util::ByteView passphrase,
                                                              chain::Network network) {
  const auto header = decode(box);
  if (!header) return util::Unexpected{header.error()};
  const auto key = scrypt(passphrase, header->entropy.salt, header->cost, kKeySize);
  if (!key) return util::Unexpected{SecretBoxError::NoMemory};
  const util::ByteView sealed = box.subspan(kHeaderSize, box.size() - kHeaderSize - kTagSize);
  util::Bytes tag = util::to_bytes(box.last(kTagSize));
  util::SecretBytes secret(sealed.size());
  const Context context = begin(false, *key, *header, network);
  int written = 0;
  bool good =
      EVP_DecryptUpdate(context.get(), secret.data(), &written, sealed.data(), static_cast<int>(sealed.size())) == 1;
  good = good && EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_SET_TAG, int{kTagSize}, tag.data()) == 1;
  std::array<std::uint8_t, kTagSize> rest{};  // GCM leaves nothing for the end
  good = good && EVP_DecryptFinal_ex(context.get(), rest.data(), &written) == 1;
  if (!good) return util::Unexpected{SecretBoxError::WrongPassphrase};
  return secret;
}

}  // namespace spv::wallet
