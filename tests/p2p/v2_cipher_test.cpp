#include "p2p/v2_cipher.h"

#include <gtest/gtest.h>

#include "p2p/elligator_swift.h"
#include "tests/p2p/csv.h"
#include "util/hex.h"

namespace spv::p2p {
namespace {

using test::array_of;

constexpr std::array<std::uint8_t, 4> kMainMagic = {0xF9, 0xBE, 0xB4, 0xD9};

util::SecretArray<32> secret_of(std::string_view hex) {
  util::SecretArray<32> secret;
  secret.bytes = array_of<32>(hex);
  return secret;
}

struct Pair {
  util::SecretArray<32> secret = secret_of("c6992a117f5edbea70c3f511d32d26b9798be4b81a62eaee1a5acaa8459a3592");
  V2Cipher initiator{secret, kMainMagic, true};
  V2Cipher responder{secret, kMainMagic, false};
};

std::optional<V2Cipher::Packet> open(V2Cipher& cipher, util::Bytes& packet, util::ByteView aad = {}) {
  const auto length = cipher.decrypt_length(packet.data());
  if (packet.size() != length + kV2Expansion) return std::nullopt;
  return cipher.decrypt(std::span(packet).subspan(kV2LengthBytes), aad);
}

// The first case of BIP324's packet vectors.
TEST(V2Cipher, EncryptsAsTheBipDoes) {
  Pair pair;
  EXPECT_EQ(util::to_hex(pair.initiator.session_id()),
            "ce72dffb015da62b0d0f5474cab8bc72605225b0cee3f62312ec680ec5f41ba5");
  EXPECT_EQ(util::to_hex(pair.initiator.send_terminator()), "faef555dfcdb936425d84aba524758f3");
  EXPECT_EQ(util::to_hex(pair.initiator.receive_terminator()), "02cb8ff24307a6e27de3b4e7ea3fa65b");
  util::Bytes skipped;
  pair.initiator.encrypt({}, {}, false, skipped);
  util::Bytes packet;
  pair.initiator.encrypt(test::hex("8e"), {}, false, packet);
  EXPECT_EQ(util::to_hex(packet), "7530d2a18720162ac09c25329a60d75adf36eda3c3");
}

// Its case behind four rekeyings.
TEST(V2Cipher, RekeysAsTheBipDoes) {
  V2Cipher cipher(secret_of("a6f79eb08243b6f65dbe42bfe4a6cf3f131d6963fa5d06c770a18f7b9c489b78"), kMainMagic, false);
  util::Bytes skipped;
  for (int i = 0; i < 999; ++i) cipher.encrypt({}, {}, false, skipped);
  util::Bytes packet;
  cipher.encrypt(test::hex("3eb1d4e98035cfd8eeb29bac969ed3824a"), test::hex(""), false, packet);
  EXPECT_EQ(util::to_hex(packet), "d78adbcba0eebfb15cfbd8142c84dc729d233d0dc11b1d851e46a114122b8d5b96b7d59317");
}

TEST(V2Cipher, PacketsPassBothWaysOverManyRekeyings) {
  Pair pair;
  for (std::size_t i = 0; i < 1'000; ++i) {
    const util::Bytes contents(i % 300, static_cast<std::uint8_t>(i));
    V2Cipher& from = i % 3 == 0 ? pair.responder : pair.initiator;
    V2Cipher& to = i % 3 == 0 ? pair.initiator : pair.responder;
    util::Bytes packet;
    from.encrypt(contents, contents, i % 5 == 0, packet);
    const auto opened = open(to, packet, contents);
    ASSERT_TRUE(opened) << i;
    EXPECT_EQ(opened->decoy, i % 5 == 0);
    EXPECT_EQ(util::to_bytes(opened->contents), contents);
  }
}

TEST(V2Cipher, AnyFlippedBitIsFound) {
  const auto packet_of = [](Pair& pair) {
    util::Bytes packet;
    pair.initiator.encrypt(util::as_bytes("contents"), {}, false, packet);
    return packet;
  };
  Pair first;
  const auto size = packet_of(first).size();
  for (std::size_t bit = 8 * kV2LengthBytes; bit < 8 * size; ++bit) {
    Pair pair;
    auto packet = packet_of(pair);
    packet[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
    ASSERT_FALSE(open(pair.responder, packet)) << bit;
  }
}

TEST(V2Cipher, OtherAssociatedDataIsFound) {
  Pair pair;
  util::Bytes packet;
  pair.initiator.encrypt({}, util::as_bytes("garbage"), false, packet);
  EXPECT_FALSE(open(pair.responder, packet, util::as_bytes("garbagE")));
}

TEST(V2Cipher, AReplayedPacketIsFound) {
  Pair pair;
  util::Bytes packet;
  pair.initiator.encrypt(util::as_bytes("pay"), {}, false, packet);
  auto copy = packet;
  EXPECT_TRUE(open(pair.responder, packet));
  EXPECT_FALSE(pair.responder.decrypt(std::span(copy).subspan(kV2LengthBytes), {}));
}

TEST(V2Cipher, AnotherNetworkHasOtherKeys) {
  const Pair pair;
  const V2Cipher other(pair.secret, {0xFA, 0xBF, 0xB5, 0xDA}, true);
  EXPECT_NE(other.session_id(), pair.initiator.session_id());
}

void check_packet_vector(const test::CsvRow& row) {
  const bool initiating = row.at("in_initiating") == "1";
  const auto key = secret_of(row.at("in_priv_ours"));
  const auto ours = array_of<64>(row.at("in_ellswift_ours"));
  const auto theirs = array_of<64>(row.at("in_ellswift_theirs"));
  EXPECT_EQ(util::to_hex(decode_ell_swift(ours)), row.at("mid_x_ours"));
  EXPECT_EQ(util::to_hex(decode_ell_swift(theirs)), row.at("mid_x_theirs"));
  EXPECT_EQ(util::to_hex(multiply_x(decode_ell_swift(theirs), key)->bytes), row.at("mid_x_shared"));
  const auto secret = *ell_swift_secret(key, ours, theirs, initiating);
  EXPECT_EQ(util::to_hex(secret.bytes), row.at("mid_shared_secret"));

  V2Cipher cipher(secret, kMainMagic, initiating);
  EXPECT_EQ(util::to_hex(cipher.send_terminator()), row.at("mid_send_garbage_terminator"));
  EXPECT_EQ(util::to_hex(cipher.receive_terminator()), row.at("mid_recv_garbage_terminator"));
  EXPECT_EQ(util::to_hex(cipher.session_id()), row.at("out_session_id"));
  for (int i = 0; i < std::stoi(row.at("in_idx")); ++i) {
    util::Bytes skipped;
    cipher.encrypt({}, {}, false, skipped);
  }
  util::Bytes contents;
  const auto piece = test::hex(row.at("in_contents"));
  for (int i = 0; i < std::stoi(row.at("in_multiply")); ++i) {
    contents.insert(contents.end(), piece.begin(), piece.end());
  }
  util::Bytes packet;
  cipher.encrypt(contents, test::hex(row.at("in_aad")), row.at("in_ignore") == "1", packet);
  const auto text = util::to_hex(packet);
  const auto& whole = row.at("out_ciphertext");  // long ones are given by their end alone
  EXPECT_TRUE(whole.empty() || text == whole);
  EXPECT_TRUE(text.ends_with(row.at("out_ciphertext_endswith")));
}

TEST(V2Cipher, EncryptsThePublicVectors) {
  SPV_VECTOR_FILE_OR_SKIP(path, "bip324/packet_encoding_test_vectors.csv");
  for (const auto& row : test::read_csv(path)) {
    SCOPED_TRACE("packet " + row.at("in_idx"));
    check_packet_vector(row);
  }
}

}  // namespace
}  // namespace spv::p2p
