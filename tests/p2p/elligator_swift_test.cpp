#include "p2p/elligator_swift.h"

#include <sstream>

#include <gtest/gtest.h>

#include "tests/p2p/csv.h"
#include "tests/p2p/samples.h"
#include "tests/support/vectors.h"
#include "util/hex.h"

namespace spv::p2p {
namespace {

using test::array_of;

TEST(EllSwift, DecodesTheZeroEncodingAndOneBeyondThePrime) {
  EXPECT_EQ(decode_ell_swift(EllSwift{}),
            array_of<32>("edd1fd3e327ce90cc7a3542614289aee9682003e9cf7dcc9cf2ca9743be5aa0c"));
  EXPECT_EQ(decode_ell_swift(array_of<64>("0000000000000000000000000000000000000000000000000000000000000000"
                                          "ffffffffffffffffffffffffffffffffffffffffffffffffffffffff2664bbd5")),
            array_of<32>("50873db31badcc71890e4f67753a65757f97aaa7dd5f1e82b753ace32219064b"));
}

TEST(EllSwift, EncodingsOfAKeyDecodeToItsPointAndDifferByEntropy) {
  util::SecretArray<32> one;
  one.bytes[31] = 1;
  const auto generator = array_of<32>("79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798");
  EllSwift last{};
  for (std::uint8_t i = 0; i < 20; ++i) {
    const auto encoding = encode_ell_swift(one, {i});
    ASSERT_TRUE(encoding);
    EXPECT_EQ(decode_ell_swift(*encoding), generator);
    EXPECT_NE(*encoding, last);
    last = *encoding;
  }
}

TEST(EllSwift, ZeroIsNoKey) { EXPECT_FALSE(encode_ell_swift({}, {})); }

TEST(EllSwift, BothEndsComeToTheSameSecret) {
  util::SecretArray<32> a;
  util::SecretArray<32> b;
  a.bytes.fill(1);
  b.bytes.fill(2);
  const auto public_a = *encode_ell_swift(a, {});
  const auto public_b = *encode_ell_swift(b, {});
  const auto at_a = ell_swift_secret(a, public_a, public_b, true);
  const auto at_b = ell_swift_secret(b, public_b, public_a, false);
  ASSERT_TRUE(at_a && at_b);
  EXPECT_EQ(at_a->bytes, at_b->bytes);
  EXPECT_NE(at_a->bytes, ell_swift_secret(a, public_a, public_b, false)->bytes);
}

TEST(EllSwift, DecodesThePublicVectors) {
  SPV_VECTOR_FILE_OR_SKIP(path, "bip324/ellswift_decode_test_vectors.csv");
  for (const auto& row : test::read_csv(path)) {
    EXPECT_EQ(decode_ell_swift(array_of<64>(row.at("ellswift"))), array_of<32>(row.at("x"))) << row.at("comment");
  }
}

TEST(EllSwift, InvertsThePublicVectors) {
  SPV_VECTOR_FILE_OR_SKIP(path, "bip324/xswiftec_inv_test_vectors.csv");
  for (const auto& row : test::read_csv(path)) {
    const auto u = array_of<32>(row.at("u"));
    const auto x = array_of<32>(row.at("x"));
    for (unsigned which = 0; which < 8; ++which) {
      const auto t = invert_ell_swift(x, u, which);
      const auto& wanted = row.at("case" + std::to_string(which) + "_t");
      EXPECT_EQ(t ? util::to_hex(*t) : "", wanted) << row.at("u") << " case " << which;
    }
  }
}

}  // namespace
}  // namespace spv::p2p
