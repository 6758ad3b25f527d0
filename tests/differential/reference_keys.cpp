#include "tests/differential/reference_keys.h"

#include <algorithm>
#include <memory>

#include <openssl/ec.h>
#include <openssl/obj_mac.h>

#include "tests/differential/reference_text.h"
#include "util/ensure.h"
#include "util/hash.h"

namespace spv::reference {
namespace {

struct Free {
  void operator()(EC_GROUP* group) const { EC_GROUP_free(group); }
  void operator()(EC_POINT* point) const { EC_POINT_free(point); }
  void operator()(BIGNUM* number) const { BN_free(number); }
};
using Point = std::unique_ptr<EC_POINT, Free>;
using BigNumber = std::unique_ptr<BIGNUM, Free>;

const EC_GROUP* curve() {
  static const std::unique_ptr<EC_GROUP, Free> group(EC_GROUP_new_by_curve_name(NID_secp256k1));
  return group.get();
}

// The point of a compressed key plus a multiple of the generator.
util::Bytes plus(const util::Bytes& key, util::ByteView factor) {
  const Point point(EC_POINT_new(curve()));
  util::ensure(EC_POINT_oct2point(curve(), point.get(), key.data(), key.size(), nullptr) == 1, "a key on the curve");
  const BigNumber scalar(BN_bin2bn(factor.data(), static_cast<int>(factor.size()), nullptr));
  const Point product(EC_POINT_new(curve()));
  util::ensure(EC_POINT_mul(curve(), product.get(), scalar.get(), nullptr, nullptr, nullptr) == 1, "a product");
  util::ensure(EC_POINT_add(curve(), point.get(), point.get(), product.get(), nullptr) == 1, "a sum");
  util::Bytes out(33);
  EC_POINT_point2oct(curve(), point.get(), POINT_CONVERSION_COMPRESSED, out.data(), out.size(), nullptr);
  return out;
}

util::Bytes joined(std::initializer_list<util::ByteView> parts) {
  util::Bytes out;
  for (const auto part : parts) out.insert(out.end(), part.begin(), part.end());
  return out;
}

util::Bytes bytes(std::initializer_list<unsigned> values) {
  util::Bytes out;
  for (const unsigned value : values) out.push_back(static_cast<std::uint8_t>(value));
  return out;
}

}  // namespace

std::optional<PublicNode> read_xpub(std::string_view text) {
  const auto payload = from_base58check(text);
  if (!payload || payload->size() != 78) return std::nullopt;
  return PublicNode{{payload->begin() + 45, payload->end()}, {payload->begin() + 13, payload->begin() + 45}};
}

PublicNode child(const PublicNode& parent, std::uint32_t index) {
  const auto message = joined({parent.key, bytes({index >> 24, index >> 16 & 255, index >> 8 & 255, index & 255})});
  const auto digest = util::hmac_sha512(parent.chain_code, message);
  return {plus(parent.key, util::ByteView(digest).first(32)), {digest.begin() + 32, digest.end()}};
}

util::Bytes pk(const util::Bytes& key) { return joined({bytes({33}), key, bytes({0xac})}); }
util::Bytes pkh(const util::Bytes& key) {
  return joined({bytes({0x76, 0xa9, 20}), util::ripemd160(util::sha256(key).view()), bytes({0x88, 0xac})});
}
util::Bytes wpkh(const util::Bytes& key) { return joined({bytes({0, 20}), util::ripemd160(util::sha256(key).view())}); }
util::Bytes sh(const util::Bytes& inner) {
  return joined({bytes({0xa9, 20}), util::ripemd160(util::sha256(inner).view()), bytes({0x87})});
}
util::Bytes wsh(const util::Bytes& inner) { return joined({bytes({0, 32}), util::sha256(inner).view()}); }

util::Bytes multi(unsigned required, std::vector<util::Bytes> keys, bool sorted) {
  if (sorted) std::sort(keys.begin(), keys.end());
  util::Bytes out = bytes({0x50 + required});
  for (const auto& key : keys) out = joined({out, bytes({33}), key});
  return joined({out, bytes({0x50 + static_cast<unsigned>(keys.size()), 0xae})});
}

util::Bytes tr(const util::Bytes& key) {
  const util::Bytes even = joined({bytes({2}), util::ByteView(key).subspan(1)});
  const auto tag = util::sha256(util::as_bytes("TapTweak"));
  const auto tweak = util::sha256(joined({tag.view(), tag.view(), util::ByteView(key).subspan(1)}));
  const auto output = plus(even, tweak.view());
  return joined({bytes({0x51, 32}), util::ByteView(output).subspan(1)});
}

}  // namespace spv::reference
