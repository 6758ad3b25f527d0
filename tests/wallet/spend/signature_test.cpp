// Signatures, made and verified, against the vectors of Bitcoin Core, BIP340, BIP341 and Wycheproof.
#include "wallet/spend/signature.h"

#include <algorithm>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/support/vectors.h"
#include "util/ensure.h"
#include "util/hash.h"
#include "util/hex.h"
#include "util/rng.h"
#include "wallet/spend/private_signature.h"

namespace spv::wallet::spend {
namespace {

using test::hex;

util::Hash256 digest_from(util::ByteView bytes) {
  util::Hash256 out;
  util::ensure(bytes.size() == 32, "a digest has 32 bytes");
  std::ranges::copy(bytes, out.bytes.begin());
  return out;
}

PrivateKey key_from(util::ByteView bytes) {
  PrivateKey out;
  util::ensure(bytes.size() == 32, "a key has 32 bytes");
  std::ranges::copy(bytes, out.bytes.begin());
  return out;
}

PrivateKey random_key(util::Rng& rng) { return key_from(rng.bytes(32)); }

std::string hex_of(const std::optional<util::Bytes>& bytes) { return bytes ? util::to_hex(*bytes) : "nothing"; }

TEST(Signature, EcdsaIsDeterministicWithLowRAsInCore) {
  const auto key = key_from(hex("0000000000000000000000000000000000000000000000000000000000000002"));
  const auto digest = digest_from(hex("553223a63841460d3b6aa1e68d682728f610fb1c7fd92d5fa2e81478007152de"));
  EXPECT_EQ(
      hex_of(sign_ecdsa(key, digest)),
      "304402201aa4f8511f7d410c0c4684244729d0c18e883ecdaa6ed08ce05141990103fe7d022074c6acb8df3aebd3aa308d87ea22cc1"
      "60bb3a5c7f0cbdc0777e1d50e5d97722d");
}

TEST(Signature, EcdsaVectors) {
  SPV_VECTOR_FILE_OR_SKIP(path, "crypto/ecdsa_sign.json");
  const auto file = test::read_json(path);
  for (const auto& row : file.at("derived").as_array()) {
    const auto digest = digest_from(hex(row.at("hash")));
    const auto signature = sign_ecdsa(key_from(hex(row.at("privkey"))), digest);
    EXPECT_EQ(hex_of(signature), row.at("der_low_s_low_r").as_string().c_str());
    ASSERT_TRUE(signature);
    EXPECT_TRUE(verify_ecdsa(hex(row.at("pubkey")), digest, *signature));
    EXPECT_TRUE(verify_ecdsa(hex(row.at("pubkey")), digest, hex(row.at("der_rfc6979_low_s"))));
  }
}

TEST(Signature, EcdsaIsSmallAndVerifies) {
  util::Rng rng(std::uint64_t{1});
  for (int i = 0; i < 200; ++i) {
    const auto key = random_key(rng);
    const auto digest = digest_from(rng.bytes(32));
    auto signature = sign_ecdsa(key, digest);
    ASSERT_TRUE(signature);
    EXPECT_LE(signature->size(), 70U);
    EXPECT_TRUE(is_strict_der(*signature));
    const auto point = PublicKey::of(key);
    EXPECT_TRUE(verify_ecdsa(point->compressed(), digest, *signature));
    EXPECT_TRUE(verify_ecdsa(point->uncompressed(), digest, *signature));
    EXPECT_FALSE(verify_ecdsa(PublicKey::of(random_key(rng))->compressed(), digest, *signature));
    (*signature)[rng.below(signature->size())] ^= static_cast<std::uint8_t>(1U << rng.below(8));
    EXPECT_FALSE(verify_ecdsa(point->compressed(), digest, *signature));
  }
}

TEST(Signature, NoSignatureByAKeyThatIsNone) {
  const util::Hash256 digest;
  EXPECT_FALSE(sign_ecdsa(PrivateKey{}, digest));
  EXPECT_FALSE(sign_schnorr(PrivateKey{}, digest));
  EXPECT_FALSE(taproot_private_key(PrivateKey{}));
}

TEST(Signature, HybridKeysAreRefused) {
  util::Rng rng(std::uint64_t{2});
  const auto key = random_key(rng);
  const auto digest = digest_from(rng.bytes(32));
  auto point = PublicKey::of(key)->uncompressed();
  const auto signature = sign_ecdsa(key, digest);
  ASSERT_TRUE(signature);
  EXPECT_TRUE(verify_ecdsa(point, digest, *signature));
  point[0] = static_cast<std::uint8_t>(6 + (point[64] & 1U));
  EXPECT_FALSE(verify_ecdsa(point, digest, *signature));
  EXPECT_FALSE(verify_ecdsa({}, digest, *signature));
}

TEST(Signature, StrictDer) {
  const std::string_view good = "3006020101020101";
  EXPECT_TRUE(is_strict_der(hex(good)));
  EXPECT_TRUE(is_strict_der(hex("300702020080020101")));
  for (const char* bad : {
           "", "30",
           "300602010102010100",    // one byte more
           "3007020101020101",      // longer than it is
           "3106020101020101",      // no sequence
           "3006030101020101",      // no integer
           "3006020101030101",      // the second is none
           "3006020181020101",      // negative
           "3006020101020181",      // the second is
           "300702020001020101",    // a zero too many
           "30050200020101",        // no bytes
           "3005020101020000",      // the same in the second
           "30810602010102010101",  // a long form of the length
           "300602010a020200",      // runs over the end
       }) {
    EXPECT_FALSE(is_strict_der(hex(bad))) << bad;
  }
}

/// Two integers of so many bytes each, with this first byte and 0x81 behind it.
util::Bytes der_of(std::size_t r, std::size_t s, std::uint8_t first = 1) {
  util::Bytes out{0x30, static_cast<std::uint8_t>(4 + r + s)};
  for (const std::size_t size : {r, s}) {
    out.insert(out.end(), {0x02, static_cast<std::uint8_t>(size)});
    const std::size_t begin = out.size();
    out.resize(begin + size, 0x81);
    out[begin] = first;
  }
  return out;
}

TEST(Signature, StrictDerHasIntegersOf1To33Bytes) {
  for (std::size_t r = 1; r <= 36; ++r) {
    for (std::size_t s = 1; s <= 36; ++s) {
      EXPECT_EQ(is_strict_der(der_of(r, s)), r <= 33 && s <= 33) << r << ' ' << s;
    }
  }
}

TEST(Signature, StrictDerHasTheShortestIntegers) {
  EXPECT_TRUE(is_strict_der(der_of(1, 1, 0))) << "zero has its byte";
  EXPECT_TRUE(is_strict_der(der_of(33, 33, 0))) << "a zero before a high bit";
  EXPECT_TRUE(is_strict_der(der_of(2, 1, 0)));
  EXPECT_TRUE(is_strict_der(der_of(32, 32, 0x7F)));
  EXPECT_FALSE(is_strict_der(der_of(32, 32, 0x80))) << "negative";
  auto padded = der_of(3, 3, 0);
  padded[5] = 0x7F;
  EXPECT_FALSE(is_strict_der(padded));
  // The lengths must fit together: one byte moves from one integer to the other, or beyond the end.
  for (const int more : {-1, 1}) {
    for (const std::size_t place : {1U, 3U, 8U}) {
      auto wrong = der_of(3, 3);
      wrong[place] = static_cast<std::uint8_t>(wrong[place] + more);
      EXPECT_FALSE(is_strict_der(wrong)) << place << ' ' << more;
    }
  }
}

/// The same signature with the other S, which consensus takes and policy does not (BIP146).
util::Bytes with_high_s(const util::Bytes& low) {
  const auto order = hex("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141");
  const std::size_t r_size = low[3];
  util::Bytes s(low.begin() + static_cast<std::ptrdiff_t>(6 + r_size), low.end());
  s.insert(s.begin(), 32 - s.size(), 0);
  int borrow = 0;
  for (std::size_t i = 32; i > 0; --i) {
    const int digit = order[i - 1] - s[i - 1] - borrow;
    borrow = digit < 0 ? 1 : 0;
    s[i - 1] = static_cast<std::uint8_t>(digit & 0xFF);
  }
  util::Bytes out(low.begin(), low.begin() + static_cast<std::ptrdiff_t>(4 + r_size));
  out.insert(out.end(), {0x02, 33, 0});
  out.insert(out.end(), s.begin(), s.end());
  out[1] = static_cast<std::uint8_t>(out.size() - 2);
  return out;
}

TEST(Signature, HighSIsRefused) {
  const auto key = key_from(hex("0000000000000000000000000000000000000000000000000000000000000002"));
  const auto digest = digest_from(hex("553223a63841460d3b6aa1e68d682728f610fb1c7fd92d5fa2e81478007152de"));
  const auto point = PublicKey::of(key)->compressed();
  const auto low = sign_ecdsa(key, digest).value();
  const auto high = with_high_s(low);
  EXPECT_TRUE(is_strict_der(high));
  EXPECT_TRUE(verify_ecdsa(point, digest, low));
  EXPECT_FALSE(verify_ecdsa(point, digest, high));
}

TEST(Signature, SchnorrHas64BytesAndAKeyOf32) {
  util::Rng rng(std::uint64_t{4});
  const auto key = random_key(rng);
  const auto digest = digest_from(rng.bytes(32));
  const auto point = PublicKey::of(key)->compressed();
  const util::Bytes x_only(point.begin() + 1, point.end());
  const auto signature = util::to_bytes(*sign_schnorr(key, digest));
  EXPECT_TRUE(verify_schnorr(x_only, digest.view(), signature));
  for (const std::size_t size : {0U, 63U, 65U}) {
    auto other = signature;
    other.resize(size);
    EXPECT_FALSE(verify_schnorr(x_only, digest.view(), other)) << size;
  }
  for (const std::size_t size : {0U, 31U, 33U}) {
    auto other = x_only;
    other.resize(size);
    EXPECT_FALSE(verify_schnorr(other, digest.view(), signature)) << size;
  }
  EXPECT_FALSE(verify_schnorr(util::Bytes(32, 0xFF), digest.view(), signature)) << "on no curve";
}

TEST(Signature, WycheproofEcdsa) {
  SPV_VECTOR_FILE_OR_SKIP(path, "crypto/wycheproof_ecdsa_secp256k1_sha256_bitcoin.json");
  const auto file = test::read_json(path);
  int valid = 0;
  int invalid = 0;
  for (const auto& group : file.at("testGroups").as_array()) {
    const auto key = hex(group.at("publicKey").at("uncompressed"));
    for (const auto& row : group.at("tests").as_array()) {
      const bool expected = row.at("result").as_string() == "valid";
      const auto digest = util::sha256(hex(row.at("msg")));
      EXPECT_EQ(verify_ecdsa(key, digest, hex(row.at("sig"))), expected) << row.at("tcId") << row.at("comment");
      ++(expected ? valid : invalid);
    }
  }
  EXPECT_GT(valid, 50);
  EXPECT_GT(invalid, 100);
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> out;
  std::stringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) out.push_back(cell);
  out.resize(8);
  return out;
}

TEST(Signature, Bip340Vectors) {
  SPV_VECTOR_FILE_OR_SKIP(path, "bip340/test-vectors.csv");
  std::stringstream file(test::read_text(path));
  std::string line;
  std::getline(file, line);
  int count = 0;
  for (; std::getline(file, line); ++count) {
    if (line.ends_with('\r')) line.pop_back();
    const auto cells = cells_of(line);
    EXPECT_EQ(verify_schnorr(hex(cells[2]), hex(cells[4]), hex(cells[5])), cells[6] == "TRUE") << line;
    if (cells[1].empty() || cells[4].size() != 64) continue;
    const auto auxiliary = digest_from(hex(cells[3])).bytes;
    const auto signature = sign_schnorr(key_from(hex(cells[1])), digest_from(hex(cells[4])), auxiliary);
    ASSERT_TRUE(signature);
    EXPECT_EQ(util::to_bytes(*signature), hex(cells[5])) << line;
  }
  EXPECT_GE(count, 15);
}

TEST(Signature, SchnorrByTheTweakedKeyVerifiesByTheOutputKey) {
  util::Rng rng(std::uint64_t{3});
  for (int i = 0; i < 50; ++i) {
    const auto internal = random_key(rng);
    const auto digest = digest_from(rng.bytes(32));
    const auto tweaked = taproot_private_key(internal);
    const auto output = PublicKey::of(internal)->taproot_output_key();
    ASSERT_TRUE(tweaked && output);
    auto signature = sign_schnorr(*tweaked, digest);
    ASSERT_TRUE(signature);
    EXPECT_TRUE(verify_schnorr(*output, digest.view(), *signature));
    (*signature)[rng.below(64)] ^= static_cast<std::uint8_t>(1U << rng.below(8));
    EXPECT_FALSE(verify_schnorr(*output, digest.view(), *signature));
  }
}

TEST(Signature, Bip341KeyPathVectors) {
  SPV_VECTOR_FILE_OR_SKIP(path, "bip341/wallet-test-vectors.json");
  const auto file = test::read_json(path);
  int count = 0;
  for (const auto& row : file.at("keyPathSpending").as_array()) {
    for (const auto& input : row.at("inputSpending").as_array()) {
      const auto key = key_from(hex(input.at("intermediary").at("tweakedPrivkey")));
      if (input.at("given").at("merkleRoot").is_null()) {  // the others commit to scripts
        const auto own = taproot_private_key(key_from(hex(input.at("given").at("internalPrivkey"))));
        ASSERT_TRUE(own);
        EXPECT_EQ(own->bytes, key.bytes);
      }
      const auto signature = sign_schnorr(key, digest_from(hex(input.at("intermediary").at("sigHash"))));
      ASSERT_TRUE(signature);
      auto expected = hex(input.at("expected").at("witness").as_array()[0]);
      expected.resize(64);
      EXPECT_EQ(util::to_bytes(*signature), expected);
      ++count;
    }
  }
  EXPECT_EQ(count, 7);
}

}  // namespace
}  // namespace spv::wallet::spend
