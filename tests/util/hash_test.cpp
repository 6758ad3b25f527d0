#include "util/hash.h"

#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/support/vectors.h"
#include "util/hex.h"

namespace spv::util {
namespace {

Bytes hex(std::string_view text) { return test::hex(text); }

std::string hex_of(const Hash256& hash) { return to_hex(hash.view()); }

TEST(Sha256, GivesThePublishedDigests) {
  EXPECT_EQ(hex_of(sha256({})), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex_of(sha256(as_bytes("abc"))), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256, TwiceGivesTheHashOfTheGenesisHeader) {
  const Bytes header = hex(
      "0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f617fc81bc3"
      "888a51323a9fb8aa4b1e5e4a29ab5f49ffff001d1dac2b7c");
  EXPECT_EQ(display_hex(sha256d(header).view()), "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f");
}

// The two transactions of mainnet's block 170 and its merkle root.
TEST(Sha256, OfAPairIsAnInnerMerkleNode) {
  const auto left = *parse_hash<Txid>("b1fea52486ce0c62bb442b530a3f0132b826c74e473d1f2c220bfa78111c5082");
  const auto right = *parse_hash<Txid>("f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16");
  EXPECT_EQ(display_hex(sha256d_pair(left.view(), right.view()).view()),
            "7dac2c5666815c17a3b36427de37bb9d2e2c5ccec3f8633eb91a4205cb4c10ff");
}

TEST(Ripemd160, GivesThePublishedDigests) {
  EXPECT_EQ(to_hex(ripemd160({})), "9c1185a5c5e9fc54612808977ee8f548b2258d31");
  EXPECT_EQ(to_hex(ripemd160(as_bytes("abc"))), "8eb208f7e05d987a9b044a8e98c6b087f15a0bfc");
}

TEST(Hash160, OfTheGeneratorPointIsTheKnownKeyHash) {
  EXPECT_EQ(to_hex(hash160(hex("0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"))),
            "751e76e8199196d454941c45d1b3a323f1433bd6");
}

TEST(HmacSha512, GivesTheDigestOfRfc4231) {
  EXPECT_EQ(
      to_hex(hmac_sha512(Bytes(20, 0x0B), as_bytes("Hi There"))),
      "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cdedaa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f"
      "1702e696c203a126854");
  EXPECT_EQ(to_hex(hmac_sha512(Bytes(131, 0xAA), as_bytes("Test Using Larger Than Block-Size Key - Hash Key First"))),
            "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352"
            "6b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598");
}

TEST(TaggedSha256, PutsTheTagsHashInFrontTwice) {
  EXPECT_EQ(hex_of(tagged_sha256("BIP0340/challenge", {})),
            "c216d352f5818b7b4beacd4ae0a26fe888080823d2a598856661bcd54f1b3713");
  EXPECT_EQ(hex_of(tagged_sha256("BIP0340/challenge", as_bytes("abc"))),
            "770a5b7e7c304bbcc3ea107343ff951dd404312ef418db0c3b94e2ebfbb50087");
}

RC_GTEST_PROP(Sha256, InPiecesIsTheSameAsAtOnce, (const Bytes& first, const Bytes& second)) {
  Bytes whole = first;
  whole.insert(whole.end(), second.begin(), second.end());
  RC_ASSERT(Sha256().write(first).write(second).finish() == sha256(whole));
  RC_ASSERT(Sha256().write(first).write(second).finish_double() == sha256d(whole));
}

std::string message_of(const boost::json::object& row) {
  if (const auto* text = row.if_contains("message")) return std::string(text->as_string());
  if (const auto* text = row.if_contains("message_hex")) {
    const Bytes bytes = test::hex(*text);
    return {bytes.begin(), bytes.end()};
  }
  return std::string(row.at("repeat_count").to_number<std::size_t>(), row.at("repeat_char").as_string().at(0));
}

TEST(Hash, PublicVectors) {
  SPV_VECTOR_FILE_OR_SKIP(path, "crypto/primitives.json");
  const auto file = test::read_json(path);
  std::size_t checked = 0;
  for (const auto& entry : file.at("hash").as_array()) {
    const auto& row = entry.as_object();
    const std::string message = message_of(row);
    if (row.at("alg").as_string() == "sha256") {
      EXPECT_EQ(hex_of(sha256(as_bytes(message))), row.at("digest").as_string());
      ++checked;
    } else if (row.at("alg").as_string() == "ripemd160") {
      EXPECT_EQ(to_hex(ripemd160(as_bytes(message))), row.at("digest").as_string());
      ++checked;
    }
  }
  for (const auto& entry : file.at("hmac").as_array()) {
    const auto& row = entry.as_object();
    if (row.at("alg").as_string() != "hmac-sha512") continue;
    EXPECT_EQ(to_hex(hmac_sha512(test::hex(row.at("key_hex")), as_bytes(message_of(row)))), row.at("mac").as_string());
    ++checked;
  }
  EXPECT_GT(checked, 0U);
}

}  // namespace
}  // namespace spv::util
