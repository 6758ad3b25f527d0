// The decrypting side of the encrypted transport (BIP324) against OpenSSL's bare ChaCha20-Poly1305 on packets of the
// same sizes, in one run: from bytes of the socket to messages, key changes and length fields included.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include <openssl/evp.h>

#include "bench/resources.h"
#include "p2p/v2_transport.h"
#include "util/ensure.h"

namespace {

using namespace spv;  // NOLINT(google-build-using-namespace): a program of one file

constexpr p2p::Magic kMagic = {0xFA, 0xBF, 0xB5, 0xDA};
constexpr std::size_t kTotalBytes = 24'000'000;
constexpr int kRuns = 5;
constexpr double kWantedRatio = 0.5;

using bench::cpu_seconds;

p2p::V2Entropy entropy(std::uint8_t fill) {
  p2p::V2Entropy out;
  out.key.bytes.fill(fill);
  out.encoding.fill(fill);
  return out;
}

void pump(p2p::V2Transport& from, p2p::V2Transport& to) {
  const auto bytes = from.take_output();
  std::copy(bytes.begin(), bytes.end(), to.prepare(bytes.size()).begin());
  to.commit(bytes.size());
}

/// Seconds to take `packets` messages of `size` bytes from the stream.
double transport_time(std::size_t size, std::size_t packets) {
  p2p::V2Transport sender(kMagic, p2p::V2Transport::Role::Initiator, entropy(1));
  p2p::V2Transport receiver(kMagic, p2p::V2Transport::Role::Responder, entropy(2));
  for (int i = 0; i < 4; ++i) {
    pump(sender, receiver);
    util::ensure(receiver.next().has_value(), "the handshake fails");
    pump(receiver, sender);
    util::ensure(sender.next().has_value(), "the handshake fails");
  }
  p2p::CFilter message;
  message.filter.assign(size, 0x5A);
  double spent = 0;
  constexpr std::size_t kReadBytes = 65'536;  // as a connection reads
  while (packets > 0) {
    for (std::size_t fill = 0; packets > 0 && fill < 1'000'000; fill += size, --packets) sender.send(message);
    const auto bytes = sender.take_output();
    for (std::size_t at = 0; at < bytes.size(); at += kReadBytes) {
      const auto piece = util::ByteView(bytes).subspan(at, std::min(kReadBytes, bytes.size() - at));
      std::copy(piece.begin(), piece.end(), receiver.prepare(piece.size()).begin());
      const double start = cpu_seconds();
      receiver.commit(piece.size());
      while (true) {
        const auto next = receiver.next();
        util::ensure(next.has_value(), "a packet does not decrypt");
        if (!next->has_value()) break;
      }
      spent += cpu_seconds() - start;
    }
  }
  return spent;
}

/// Seconds to decrypt and check as many packets with OpenSSL alone: one context, a nonce a packet.
double bare_time(std::size_t size, std::size_t packets) {
  std::array<std::uint8_t, 32> key{};
  std::array<std::uint8_t, 12> nonce{};
  std::array<std::uint8_t, 16> tag{};
  util::Bytes plain(size, 0x5A);
  util::Bytes sealed(size);
  util::Bytes opened(size);
  int length = 0;
  EVP_CIPHER_CTX* seal = EVP_CIPHER_CTX_new();
  EVP_EncryptInit_ex(seal, EVP_chacha20_poly1305(), nullptr, key.data(), nonce.data());
  EVP_EncryptUpdate(seal, sealed.data(), &length, plain.data(), static_cast<int>(size));
  EVP_EncryptFinal_ex(seal, sealed.data() + length, &length);
  EVP_CIPHER_CTX_ctrl(seal, EVP_CTRL_AEAD_GET_TAG, static_cast<int>(tag.size()), tag.data());
  EVP_CIPHER_CTX_free(seal);

  EVP_CIPHER_CTX* open = EVP_CIPHER_CTX_new();
  EVP_DecryptInit_ex(open, EVP_chacha20_poly1305(), nullptr, key.data(), nonce.data());
  const double start = cpu_seconds();
  for (std::size_t i = 0; i < packets; ++i) {
    EVP_DecryptInit_ex(open, nullptr, nullptr, nullptr, nonce.data());
    EVP_CIPHER_CTX_ctrl(open, EVP_CTRL_AEAD_SET_TAG, static_cast<int>(tag.size()), tag.data());
    EVP_DecryptUpdate(open, opened.data(), &length, sealed.data(), static_cast<int>(size));
    util::ensure(EVP_DecryptFinal_ex(open, opened.data() + length, &length) == 1, "OpenSSL refuses its own packet");
  }
  const double spent = cpu_seconds() - start;
  EVP_CIPHER_CTX_free(open);
  return spent;
}

template <typename Run>
double quickest(Run&& run) {
  double best = 1e300;
  for (int i = 0; i < kRuns; ++i) best = std::min(best, run());
  return best;
}

}  // namespace

int main() {
  std::printf("%10s %14s %14s %8s\n", "bytes", "transport MB/s", "OpenSSL MB/s", "ratio");
  bool met = true;
  for (const std::size_t size : {std::size_t{100}, std::size_t{250}, std::size_t{1'000}, std::size_t{10'000},
                                 std::size_t{100'000}, std::size_t{1'000'000}}) {
    const std::size_t packets = std::max<std::size_t>(8, std::min<std::size_t>(kTotalBytes / size, 40'000));
    const double total = static_cast<double>(size * packets) / 1e6;
    const double ours = total / quickest([&] { return transport_time(size, packets); });
    const double bare = total / quickest([&] { return bare_time(size, packets); });
    std::printf("%10zu %14.0f %14.0f %8.2f\n", size, ours, bare, ours / bare);
    met = met && (size < 1'000 || ours >= kWantedRatio * bare);
  }
  std::printf("at 1,000 bytes and above at least %.1f of OpenSSL: %s\n", kWantedRatio, met ? "met" : "NOT met");
  return met ? EXIT_SUCCESS : EXIT_FAILURE;
}
