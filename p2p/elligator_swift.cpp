#include "p2p/elligator_swift.h"

#include <algorithm>

#include <secp256k1.h>
#include <secp256k1_ecdh.h>
#ifdef SPV_HAVE_SECP256K1_ELLSWIFT
#include <secp256k1_ellswift.h>
#endif

#include "p2p/field_element.h"
#include "util/codec.h"
#include "util/hash.h"

namespace spv::p2p {
namespace {

using Fe = FieldElement;

// The square root of -3 that is a square itself: BIP324's c.
constexpr FieldBytes kRootOfMinus3 = {0x0a, 0x2d, 0x2b, 0xa9, 0x35, 0x07, 0xf1, 0xdf, 0x23, 0x37, 0x70,
                                      0xc2, 0xa7, 0x97, 0x96, 0x2c, 0xc6, 0x1f, 0x6d, 0x15, 0xda, 0x14,
                                      0xec, 0xd4, 0x7d, 0x8d, 0x27, 0xae, 0x1c, 0xd5, 0xf8, 0x52};

Fe cube_plus_7(const Fe& x) { return x * x * x + 7; }
bool is_valid_x(const Fe& x) { return cube_plus_7(x).is_square(); }
Fe root_of_minus_3() { return Fe::from_bytes(kRootOfMinus3.data()); }

struct Slope {
  Fe s;
  Fe v;
};

// Cases without bit 1: x comes out as the second or third candidate of XSwiftEC.
std::optional<Slope> invert_late(const Fe& x, const Fe& u) {
  if (is_valid_x(-x - u)) return std::nullopt;  // an earlier candidate would win
  return Slope{-cube_plus_7(u) / (u * u + u * x + x * x), x};
}

// Cases with bit 1: x comes out as the first candidate.
std::optional<Slope> invert_first(const Fe& x, const Fe& u, bool odd) {
  const Fe s = x - u;
  if (s.is_zero()) return std::nullopt;
  const auto r = (-s * (Fe(4) * cube_plus_7(u) + Fe(3) * u * u * s)).square_root();
  if (!r || (odd && r->is_zero())) return std::nullopt;
  return Slope{s, (*r / s - u) / 2};
}

}  // namespace

FieldBytes decode_ell_swift(const EllSwift& encoding) {
  Fe u = Fe::from_bytes(encoding.data());
  Fe t = Fe::from_bytes(encoding.data() + 32);
  if (u.is_zero()) u = 1;
  if (t.is_zero()) t = 1;
  if ((cube_plus_7(u) + t * t).is_zero()) t = t + t;
  const Fe x = (cube_plus_7(u) - t * t) / (t + t);
  const Fe y = (x + t) / (root_of_minus_3() * u);
  const Fe first = u + Fe(4) * y * y;
  if (is_valid_x(first)) return first.bytes();
  const Fe second = (-x / y - u) / 2;
  if (is_valid_x(second)) return second.bytes();
  return ((x / y - u) / 2).bytes();  // one of the three always is
}

std::optional<FieldBytes> invert_ell_swift(const FieldBytes& x_bytes, const FieldBytes& u_bytes, unsigned which) {
  const Fe x = Fe::from_bytes(x_bytes.data());
  const Fe u = Fe::from_bytes(u_bytes.data());
  const bool odd = (which & 1U) != 0;
  const auto slope = (which & 2U) == 0 ? invert_late(x, u) : invert_first(x, u, odd);
  if (!slope) return std::nullopt;
  const auto w = slope->s.square_root();
  if (!w) return std::nullopt;
  const Fe c = root_of_minus_3();
  const Fe half = (odd ? Fe(1) + c : Fe(1) - c) * u / 2 + slope->v;
  const Fe t = *w * half;
  const bool negative = odd == ((which & 4U) != 0);
  return (negative ? -t : t).bytes();
}

std::optional<util::SecretArray<32>> multiply_x(const FieldBytes& x, const util::SecretArray<32>& key) {
  const auto take_x = [](unsigned char* out, const unsigned char* x32, const unsigned char* /*y32*/, void* /*data*/) {
    std::copy_n(x32, 32, out);
    return 1;
  };
  std::array<std::uint8_t, 33> compressed{0x02};
  std::copy(x.begin(), x.end(), compressed.begin() + 1);
  secp256k1_pubkey point;
  const auto* const context = secp256k1_context_static;
  if (secp256k1_ec_pubkey_parse(context, &point, compressed.data(), compressed.size()) != 1) return std::nullopt;
  util::SecretArray<32> product;
  if (secp256k1_ecdh(context, product.bytes.data(), &point, key.bytes.data(), take_x, nullptr) != 1) {
    return std::nullopt;
  }
  return product;
}

std::optional<EllSwift> encode_ell_swift(const util::SecretArray<32>& key,
                                         const std::array<std::uint8_t, 32>& entropy) {
  // x of the curve's generator: the public key is key·G.
  constexpr FieldBytes kGenerator = {0x79, 0xbe, 0x66, 0x7e, 0xf9, 0xdc, 0xbb, 0xac, 0x55, 0xa0, 0x62,
                                     0x95, 0xce, 0x87, 0x0b, 0x07, 0x02, 0x9b, 0xfc, 0xdb, 0x2d, 0xce,
                                     0x28, 0xd9, 0x59, 0xf2, 0x81, 0x5b, 0x16, 0xf8, 0x17, 0x98};
  const auto x = multiply_x(kGenerator, key);
  if (!x) return std::nullopt;
  for (std::uint32_t attempt = 0;; ++attempt) {  // about one in four succeeds
    util::Writer seed(36);
    seed.bytes(entropy).integer(attempt);
    const auto u = util::tagged_sha256("spv/ell_swift/u", seed.data());
    const auto which = util::tagged_sha256("spv/ell_swift/case", seed.data()).bytes[0] & 7U;
    const auto t = invert_ell_swift(x->bytes, u.bytes, which);
    if (!t) continue;
    EllSwift encoding{};
    std::copy(u.bytes.begin(), u.bytes.end(), encoding.begin());
    std::copy(t->begin(), t->end(), encoding.begin() + 32);
    return encoding;
  }
}

std::optional<util::SecretArray<32>> ell_swift_secret(const util::SecretArray<32>& key, const EllSwift& ours,
                                                      const EllSwift& theirs, bool initiating) {
#ifdef SPV_HAVE_SECP256K1_ELLSWIFT
  util::SecretArray<32> secret;
  const EllSwift& a = initiating ? ours : theirs;
  const EllSwift& b = initiating ? theirs : ours;
  if (secp256k1_ellswift_xdh(secp256k1_context_static, secret.bytes.data(), a.data(), b.data(), key.bytes.data(),
                             initiating ? 0 : 1, secp256k1_ellswift_xdh_hash_function_bip324, nullptr) != 1) {
    return std::nullopt;
  }
  return secret;
#else
  const auto x = multiply_x(decode_ell_swift(theirs), key);
  if (!x) return std::nullopt;
  std::array<std::uint8_t, 160> data{};
  const EllSwift& first = initiating ? ours : theirs;
  const EllSwift& second = initiating ? theirs : ours;
  auto end = std::copy(first.begin(), first.end(), data.begin());
  end = std::copy(second.begin(), second.end(), end);
  std::copy(x->bytes.begin(), x->bytes.end(), end);
  util::SecretArray<32> secret;
  secret.bytes = util::tagged_sha256("bip324_ellswift_xonly_ecdh", data).bytes;
  OPENSSL_cleanse(data.data(), data.size());
  return secret;
#endif
}

}  // namespace spv::p2p
