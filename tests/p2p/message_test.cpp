#include "p2p/message.h"

#include <gtest/gtest.h>

#include "tests/p2p/samples.h"
#include "util/codec.h"
#include "util/hash.h"

namespace spv::p2p {
namespace {

using test::all_messages;
using test::hex;

util::Bytes repeated(std::uint64_t count, std::size_t item_size) {
  util::Writer out;
  out.compact_size(count).bytes(util::Bytes(static_cast<std::size_t>(count) * item_size, 0));
  return out.take();
}

TEST(Message, EveryKindComesBackAsItWas) {
  const auto messages = all_messages();
  EXPECT_EQ(messages.size(), std::variant_size_v<Message> - 1);  // all but Unknown
  for (const auto& message : messages) {
    const auto decoded = decode_payload(command_of(message), encode_payload(message));
    ASSERT_TRUE(decoded) << command_of(message);
    EXPECT_EQ(*decoded, message) << command_of(message);
  }
}

TEST(Message, EveryTruncationIsRefused) {
  for (const auto& message : all_messages()) {
    if (std::holds_alternative<FilterLoad>(message)) continue;
    const auto payload = encode_payload(message);
    for (std::size_t size = 0; size < payload.size(); ++size) {
      // `version` may end before its last byte, relay.
      if (std::holds_alternative<Version>(message) && size + 1 == payload.size()) continue;
      const auto decoded = decode_payload(command_of(message), util::ByteView(payload).first(size));
      EXPECT_FALSE(decoded) << command_of(message) << " of " << size << " bytes";
    }
  }
}

TEST(Message, ABytePastTheEndIsRefusedExceptInVersion) {
  for (const auto& message : all_messages()) {
    if (std::holds_alternative<FilterLoad>(message)) continue;
    auto payload = encode_payload(message);
    payload.push_back(0);
    const auto decoded = decode_payload(command_of(message), payload);
    EXPECT_EQ(decoded.has_value(), std::holds_alternative<Version>(message)) << command_of(message);
  }
}

TEST(Message, VersionHasTheBytesOfTheWire) {
  Version version = test::peer_version(0x1122'3344'5566'7788);
  version.user_agent = "/a/";
  EXPECT_EQ(encode_payload(version), hex("80110100"
                                         "0d00000000000000"
                                         "00f1536500000000"
                                         "0000000000000000000000000000000000000000000000010000"
                                         "000000000000000000000000000000000000000000000000480c"
                                         "8877665544332211"
                                         "032f612f"
                                         "fa000000"
                                         "01"));
}

TEST(Message, VersionWithoutRelayMeansRelay) {
  Version version = test::peer_version();
  version.relay = false;
  auto payload = encode_payload(version);
  payload.pop_back();
  const auto decoded = decode_payload("version", payload);
  ASSERT_TRUE(decoded);
  EXPECT_TRUE(std::get<Version>(*decoded).relay);
}

TEST(Message, N7_UserAgentOf256BytesPassesAnd257DoesNot) {
  Version version = test::peer_version();
  version.user_agent.assign(256, 'x');
  EXPECT_TRUE(decode_payload("version", encode_payload(version)));
  version.user_agent.push_back('x');
  EXPECT_FALSE(decode_payload("version", encode_payload(version)));
}

TEST(Message, N8_UnknownInventoryTypesAndServiceBitsAreKeptAsTheyAre) {
  const Inv inv{{{.type = static_cast<InventoryType>(0xDEADBEEF), .hash = {}}}};
  const auto decoded = decode_payload("inv", encode_payload(inv));
  ASSERT_TRUE(decoded);
  EXPECT_EQ(std::get<Inv>(*decoded), inv);
  Version version = test::peer_version();
  version.services = ~std::uint64_t{0};
  EXPECT_EQ(std::get<Version>(*decode_payload("version", encode_payload(version))), version);
}

TEST(Message, N6_UnknownCommandIsUnknownAndEscaped) {
  EXPECT_EQ(*decode_payload("xyzzy", hex("68656c6c6f")), Message{Unknown{"xyzzy"}});
  EXPECT_EQ(*decode_payload("a\x1b[2J\\", {}), Message{Unknown{"a\\x1b[2J\\x5c"}});
}

TEST(Message, PrintableEscapesWhatATerminalWouldObey) {
  EXPECT_EQ(printable("/Satoshi:29.0.0(a b)/"), "/Satoshi:29.0.0(a b)/");
  EXPECT_EQ(printable("\x1b]0;pwn\x07\x7f\xff"), "\\x1b]0;pwn\\x07\\x7f\\xff");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
}

TEST(Message, LimitsOfTheProtocolAreTheLastThatPass) {
  struct Limit {
    std::string_view command;
    std::size_t count;
    std::size_t item_size;
  };
  for (const auto& [command, count, item_size] :
       {Limit{"inv", kMaxInventory, 36}, Limit{"getdata", kMaxInventory, 36}, Limit{"notfound", kMaxInventory, 36},
        Limit{"headers", kMaxHeaders, 81}, Limit{"addr", kMaxAddresses, 30}}) {
    EXPECT_TRUE(decode_payload(command, repeated(count, item_size))) << command;
    EXPECT_FALSE(decode_payload(command, repeated(count + 1, item_size))) << command;
  }
}

TEST(Message, LocatorOf101HashesPassesAnd102DoesNot) {
  GetHeaders message{kProtocolVersion, std::vector<chain::BlockHash>(101), {}};
  EXPECT_TRUE(decode_payload("getheaders", encode_payload(message)));
  message.locator.emplace_back();
  EXPECT_FALSE(decode_payload("getheaders", encode_payload(message)));
}

TEST(Message, R3_NonCanonicalCountsAreRefused) {
  for (const char* count :
       {"fd0000", "fdfc00", "fe00000000", "feffff0000", "ff0000000000000000", "ffffffffff00000000"}) {
    for (const char* command : {"headers", "inv", "getdata", "notfound", "addr"}) {
      EXPECT_FALSE(decode_payload(command, hex(count))) << command << " " << count;
    }
  }
  EXPECT_TRUE(decode_payload("headers", hex("00")));
}

TEST(Message, HeadersWithTransactionsBehindThemAreRefused) {
  auto payload = repeated(1, 81);
  payload.back() = 1;
  EXPECT_FALSE(decode_payload("headers", payload));
}

TEST(Message, TxWithoutWitnessKnowsItsTxidFromTheDigest) {
  const auto tx = test::payment();
  const auto payload = encode_payload(Tx{tx});
  const util::Hash256 digest = util::sha256d(payload);
  const auto decoded = decode_payload("tx", payload, &digest);
  ASSERT_TRUE(decoded);
  ASSERT_TRUE(std::get<Tx>(*decoded).known_txid);
  EXPECT_EQ(*std::get<Tx>(*decoded).known_txid, tx.txid());
}

TEST(Message, TxWithWitnessDoesNotTakeTheDigestForItsTxid) {
  auto tx = test::payment();
  tx.inputs[0].witness = {{1, 2, 3}};
  const auto payload = encode_payload(Tx{tx});
  const util::Hash256 digest = util::sha256d(payload);
  const auto decoded = decode_payload("tx", payload, &digest);
  ASSERT_TRUE(decoded);
  EXPECT_FALSE(std::get<Tx>(*decoded).known_txid);
  EXPECT_EQ(std::get<Tx>(*decoded).txid(), tx.txid());
  EXPECT_NE(tx.txid().bytes, digest.bytes);
}

TEST(Message, ABadFilterSentToUsIsIgnoredBecauseWeAreNoServer) {
  EXPECT_EQ(*decode_payload("filterload", hex("00")), Message{Unknown{"filterload"}});
}

TEST(Message, NegativeFeeFilterIsAValueForTheLayerAbove) {
  EXPECT_EQ(*decode_payload("feefilter", hex("ffffffffffffffff")), Message{FeeFilter{-1}});
}

}  // namespace
}  // namespace spv::p2p
