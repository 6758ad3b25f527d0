#include "p2p/message.h"

#include <gtest/gtest.h>

#include "bip37/partial_merkle_tree.h"
#include "tests/p2p/samples.h"
#include "tests/support/tx_builder.h"
#include "util/codec.h"
#include "util/hash.h"
#include "util/hex.h"

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
    const auto payload = encode_payload(message);  // a block is a view of it
    const auto decoded = decode_payload(command_of(message), payload);
    ASSERT_TRUE(decoded) << command_of(message);
    EXPECT_EQ(*decoded, message) << command_of(message);
  }
}

// What follows the header of a block is read where it is proven: see BlockMatcher.
TEST(Message, EveryTruncationIsRefused) {
  for (const auto& message : all_messages()) {
    if (std::holds_alternative<FilterLoad>(message)) continue;
    const auto payload = encode_payload(message);
    const bool is_block = std::holds_alternative<Block>(message);
    for (std::size_t size = 0; size < (is_block ? chain::BlockHeader::kSize + 1 : payload.size()); ++size) {
      // `version` may end before its last byte, relay.
      if (std::holds_alternative<Version>(message) && size + 1 == payload.size()) continue;
      const auto decoded = decode_payload(command_of(message), util::ByteView(payload).first(size));
      EXPECT_FALSE(decoded) << command_of(message) << " of " << size << " bytes";
    }
  }
}

TEST(Message, ABytePastTheEndIsRefusedExceptInVersion) {
  for (const auto& message : all_messages()) {
    if (std::holds_alternative<FilterLoad>(message) || std::holds_alternative<Block>(message)) continue;
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
        Limit{"headers", kMaxHeaders, 81}, Limit{"addr", kMaxAddresses, 30}, Limit{"addrv2", kMaxAddresses, 9}}) {
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
    for (const char* command : {"headers", "inv", "getdata", "notfound", "addr", "addrv2"}) {
      EXPECT_FALSE(decode_payload(command, hex(count))) << command << " " << count;
    }
  }
  EXPECT_TRUE(decode_payload("headers", hex("00")));
}

// Bitcoin Knots beyond its own proof of work sends headers of 164 bytes: nobody to be banned for it.
TEST(Message, HeadersOfAnotherChainAreToldApartFromMalformedOnes) {
  const auto error_of = [](std::size_t count, std::size_t bytes) {
    util::Writer out;
    out.compact_size(count).bytes(util::Bytes(bytes, 7));
    return decode_payload("headers", out.data(), nullptr).error();
  };
  EXPECT_EQ(error_of(1, 164), DecodeError::ForeignHeaders);
  EXPECT_EQ(error_of(3, 3 * 165), DecodeError::ForeignHeaders);
  EXPECT_EQ(error_of(2'000, 2'000 * 164), DecodeError::ForeignHeaders);
  EXPECT_EQ(error_of(1, 163), DecodeError::Malformed);
  EXPECT_EQ(error_of(2, 164), DecodeError::Malformed);
  EXPECT_EQ(error_of(2'001, 2'001 * 164), DecodeError::Malformed);
  EXPECT_EQ(error_of(0, 164), DecodeError::Malformed);
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

TEST(Message, AddrV2HasTheBytesOfTheWire) {
  const AddrV2 message{{{0x6553'F100, 0x409, AddressNetwork::Ipv4, {1, 2, 3, 4}, 8333}}};
  EXPECT_EQ(encode_payload(message), hex("01"
                                         "00f15365"
                                         "fd0904"
                                         "01"
                                         "04"
                                         "01020304"
                                         "208d"));
}

TEST(Message, N8_AnUnknownNetworkOfAddrV2IsKeptAndAKnownOneMustHaveItsLength) {
  for (const unsigned network : {0U, 7U, 0xAAU, 0xFFU}) {
    const AddrV2 message{{{1, 0, static_cast<AddressNetwork>(network), util::Bytes(kMaxAddressBytes, 1), 1}}};
    EXPECT_EQ(*decode_payload("addrv2", encode_payload(message)), Message{message}) << network;
  }
  const std::pair<AddressNetwork, std::size_t> lengths[] = {{AddressNetwork::Ipv4, 4},   {AddressNetwork::Ipv6, 16},
                                                            {AddressNetwork::TorV2, 10}, {AddressNetwork::TorV3, 32},
                                                            {AddressNetwork::I2p, 32},   {AddressNetwork::Cjdns, 16}};
  for (const auto& [network, length] : lengths) {
    for (std::size_t size = 0; size < 40; ++size) {
      const AddrV2 message{{{1, 0, network, util::Bytes(size, 1), 1}}};
      EXPECT_EQ(decode_payload("addrv2", encode_payload(message)).has_value(), size == length) << size;
    }
  }
}

TEST(Message, AnAddressLongerThan512BytesIsRefused) {
  const AddrV2 message{{{1, 0, static_cast<AddressNetwork>(99), util::Bytes(kMaxAddressBytes + 1, 1), 1}}};
  EXPECT_FALSE(decode_payload("addrv2", encode_payload(message)));
}

TEST(Message, ABlockIsAViewOfItsPayloadAndMayNotBeEmpty) {
  util::Writer body;
  body.compact_size(2);
  test::payment().encode(body);
  test::payment().encode(body);
  const util::Bytes payload = encode_payload(Block::owning(chain::BlockHeader{}, body.take()));
  const auto decoded = decode_payload("block", payload);
  ASSERT_TRUE(decoded);
  const auto& block = std::get<Block>(*decoded);
  EXPECT_EQ(block.body.data(), payload.data() + chain::BlockHeader::kSize);
  EXPECT_EQ(block.body.size(), payload.size() - chain::BlockHeader::kSize);
  EXPECT_FALSE(decode_payload("block", encode_payload(Block::owning(chain::BlockHeader{}, {0}))));
  EXPECT_FALSE(decode_payload("block", util::ByteView(payload).first(chain::BlockHeader::kSize)));
}

class MerkleBlockTest : public testing::Test {
 protected:
  /// The payload for a block of five transactions, some of which matched.
  static util::Bytes payload_for(const std::vector<bool>& matched) {
    std::vector<chain::Txid> txids(matched.size());
    for (std::size_t i = 0; i < txids.size(); ++i) txids[i].bytes.fill(static_cast<std::uint8_t>(i + 1));
    MerkleBlock message{.header = {}, .tree = bip37::build_partial_tree(txids, matched)};
    message.header.merkle_root = bip37::merkle_root(txids);
    return encode_payload(message);
  }
  static MerkleBlock decoded(util::ByteView payload) {
    return std::get<MerkleBlock>(*decode_payload("merkleblock", payload));
  }
};

TEST_F(MerkleBlockTest, WhereSomethingMatchedItKeepsItsPayloadByteForByte) {
  for (std::size_t place = 0; place < 5; ++place) {
    std::vector<bool> matched(5);
    matched[place] = true;
    const util::Bytes payload = payload_for(matched);
    EXPECT_EQ(decoded(payload).payload, payload) << place;
  }
}

TEST_F(MerkleBlockTest, WhereNothingMatchedItKeepsNoPayload) {
  EXPECT_TRUE(decoded(payload_for(std::vector<bool>(5))).payload.empty());
}

TEST_F(MerkleBlockTest, ItsPayloadIsWhatItEncodesToKeptOrNot) {
  for (const bool matched : {true, false}) {
    const util::Bytes payload = payload_for(std::vector<bool>(5, matched));
    const MerkleBlock message = decoded(payload);
    EXPECT_EQ(encode_payload(message), payload);
    EXPECT_EQ(payload_of(MerkleBlock(message)), payload);
    EXPECT_EQ(payload_of(MerkleBlock{.header = message.header, .tree = message.tree}), payload)
        << "one that was made here keeps none";
  }
}

TEST(Message, IndexesOfGetBlockTxnAreDistancesAndStayBelow65536) {
  const std::string hash(64, '0');
  EXPECT_EQ(encode_payload(GetBlockTxn{{}, {0, 1, 5}}), hex(hash + "03000003"));
  EXPECT_TRUE(decode_payload("getblocktxn", hex(hash + "02fdfeff00")));     // 65534, 65535
  EXPECT_FALSE(decode_payload("getblocktxn", hex(hash + "02fdffff00")));    // 65535, 65536
  EXPECT_FALSE(decode_payload("getblocktxn", hex(hash + "01fe00000100")));  // 65536
  EXPECT_FALSE(decode_payload("getblocktxn", hex(hash + "0200ffffffffffffffffff")));
}

TEST(Message, ABlockTxnHoldsAsManyTransactionsAsItSays) {
  const std::string hash(64, '0');
  const std::string tx = util::to_hex(spv::test::TxBuilder(1).build().serialize(chain::Witness::Include));
  EXPECT_TRUE(decode_payload("blocktxn", hex(hash + "00")));
  EXPECT_TRUE(decode_payload("blocktxn", hex(hash + "01" + tx)));
  EXPECT_FALSE(decode_payload("blocktxn", hex(hash)));
  EXPECT_FALSE(decode_payload("blocktxn", hex(hash.substr(2) + "00")));
  EXPECT_FALSE(decode_payload("blocktxn", hex(hash + "01")));
  EXPECT_FALSE(decode_payload("blocktxn", hex(hash + "02" + tx)));
  EXPECT_FALSE(decode_payload("blocktxn", hex(hash + "01" + tx + "00"))) << "something is left over";
  EXPECT_FALSE(decode_payload("blocktxn", hex(hash + "ffffffffffffffffff" + tx)));
  EXPECT_FALSE(decode_payload("blocktxn", hex(hash + "fe00000001" + tx)));
  EXPECT_FALSE(decode_payload("blocktxn", hex(hash + "01" + tx.substr(0, tx.size() - 2))));
}

TEST(Message, CfheadersOf2000HashesPassesAnd2001DoesNot) {
  CFHeaders message;
  message.filter_hashes.resize(kMaxFilterHeaders);
  EXPECT_TRUE(decode_payload("cfheaders", encode_payload(message)));
  message.filter_hashes.emplace_back();
  EXPECT_FALSE(decode_payload("cfheaders", encode_payload(message)));
}

TEST(Message, CfheadersHasTheBytesOfTheWire) {
  CFHeaders message{0, {}, {}, {{}, {}}};
  message.stop.bytes.fill(1);
  message.previous_header.bytes.fill(2);
  message.filter_hashes[0].bytes.fill(3);
  message.filter_hashes[1].bytes.fill(4);
  const auto repeat = [](const char* byte) {
    std::string out;
    for (int i = 0; i < 32; ++i) out += byte;
    return out;
  };
  EXPECT_EQ(encode_payload(message), hex("00" + repeat("01") + repeat("02") + "02" + repeat("03") + repeat("04")));
}

// What a filter holds is for bip158/ to judge; here it must only be there, to the byte.
TEST(Message, ACfilterHasAsManyBytesAsItSays) {
  const std::string head(66, '0');
  EXPECT_TRUE(decode_payload("cfilter", hex(head + "00")));
  EXPECT_TRUE(decode_payload("cfilter", hex(head + "03019dfc")));
  EXPECT_FALSE(decode_payload("cfilter", hex(head)));
  EXPECT_FALSE(decode_payload("cfilter", hex(head + "04019dfc"))) << "one byte is missing";
  EXPECT_FALSE(decode_payload("cfilter", hex(head + "02019dfc"))) << "one byte too many";
  for (const char* size : {"fd0300", "fe03000000", "ff0300000000000000"}) {
    EXPECT_FALSE(decode_payload("cfilter", hex(head + size + "019dfc"))) << size << " has a shorter form";
  }
  for (const char* size : {"fdffff", "fe00000001", "feffffffff", "ff0000000000000080", "ffffffffffffffffff"}) {
    EXPECT_FALSE(decode_payload("cfilter", hex(head + size + "019dfc"))) << size << " bytes never came";
  }
  EXPECT_TRUE(decode_payload("cfilter", hex("ff" + head.substr(2) + "00")))
      << "another type is for the engine to judge";
}

TEST(Message, CountsOfFilterHashesThatAreNotThereAreRefused) {
  const std::string hash(64, '0');
  for (const auto& [command, head] :
       {std::pair{"cfheaders", "00" + hash + hash}, std::pair{"cfcheckpt", "00" + hash}}) {
    EXPECT_TRUE(decode_payload(command, hex(head + "00"))) << command;
    EXPECT_TRUE(decode_payload(command, hex(head + "01" + hash))) << command;
    EXPECT_FALSE(decode_payload(command, hex(head))) << command;
    EXPECT_FALSE(decode_payload(command, hex(head + "00" + hash))) << command << " with a hash too many";
    EXPECT_FALSE(decode_payload(command, hex(head + "02" + hash))) << command << " with a hash too few";
    EXPECT_FALSE(decode_payload(command, hex(head + "01" + hash.substr(2)))) << command << " with half a hash";
    EXPECT_FALSE(decode_payload(command, hex(head + "fd0100" + hash))) << command << " with a long count";
    for (const char* count : {"fdd007", "fe00000001", "ffffffffffffffffff", "ff0000000000000008"}) {
      EXPECT_FALSE(decode_payload(command, hex(head + count + hash))) << command << " " << count;
    }
  }
}

// A chain of any length has its checkpoints: what bounds them is the size of a message.
TEST(Message, CfcheckptOfTenMillionBlocksPasses) {
  CFCheckpt message;
  message.filter_headers.resize(10'000);
  const auto decoded = decode_payload("cfcheckpt", encode_payload(message));
  ASSERT_TRUE(decoded);
  EXPECT_EQ(std::get<CFCheckpt>(*decoded).filter_headers.size(), 10'000U);
}

TEST(Message, RequestsForFiltersAreOfOneSize) {
  for (const auto& [command, size] :
       {std::pair{"getcfilters", 37U}, std::pair{"getcfheaders", 37U}, std::pair{"getcfcheckpt", 33U}}) {
    EXPECT_TRUE(decode_payload(command, util::Bytes(size, 0xFF))) << command;
    EXPECT_FALSE(decode_payload(command, util::Bytes(size - 1, 0xFF))) << command;
    EXPECT_FALSE(decode_payload(command, util::Bytes(size + 1, 0xFF))) << command;
  }
}

// They stand in `spv peers`, in logs and in events.
TEST(Message, EveryDecodeErrorHasItsWords) {
  EXPECT_EQ(to_string(DecodeError::WrongMagic), "wrong network magic");
  EXPECT_EQ(to_string(DecodeError::Oversized), "message too large");
  EXPECT_EQ(to_string(DecodeError::BadChecksum), "bad checksum");
  EXPECT_EQ(to_string(DecodeError::Malformed), "malformed message");
  EXPECT_EQ(to_string(DecodeError::SpeaksV1), "peer speaks the v1 protocol");
  EXPECT_EQ(to_string(DecodeError::NoHandshake), "encrypted handshake does not end");
  EXPECT_EQ(to_string(DecodeError::Unauthentic), "packet is not authentic");
}

TEST(Message, AVersionDiffersByEachOfItsFields) {
  const Version plain;
  EXPECT_EQ(plain, Version{});
  const auto differs = [&](auto change) {
    Version other;
    change(other);
    EXPECT_NE(other, plain);
    EXPECT_NE(encode_payload(other), encode_payload(plain));
  };
  differs([](Version& v) { ++v.version; });
  differs([](Version& v) { v.services = 1; });
  differs([](Version& v) { v.time = 1; });
  differs([](Version& v) { v.receiver.port = 1; });
  differs([](Version& v) { v.sender.ip[3] = 1; });
  differs([](Version& v) { v.nonce = 1; });
  differs([](Version& v) { v.user_agent = "/x/"; });
  differs([](Version& v) { v.start_height = 1; });
  differs([](Version& v) { v.relay = false; });
}

}  // namespace
}  // namespace spv::p2p
