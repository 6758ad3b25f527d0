#include "p2p/message_reader.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/p2p/samples.h"

namespace spv::p2p {
namespace {

using test::all_messages;
using test::hex;
using test::kMagic;
using test::Outcome;
using test::raw_frame;
using test::read_all;
using test::read_stream;

util::Bytes stream_of(const std::vector<Message>& messages) {
  util::Bytes stream;
  for (const auto& message : messages) {
    const auto frame = encode_frame(kMagic, message);
    stream.insert(stream.end(), frame.begin(), frame.end());
  }
  return stream;
}

TEST(MessageReader, FrameHasTheBytesOfTheWire) {
  EXPECT_EQ(encode_frame(kMagic, Verack{}), hex("fabfb5da76657261636b000000000000000000005df6e0e2"));
  EXPECT_EQ(encode_frame(kMagic, Ping{42}), hex("fabfb5da70696e67000000000000000008000000f27162782a00000000000000"));
}

TEST(MessageReader, GivesEveryMessageOfAStreamInOrder) {
  const auto messages = all_messages();
  EXPECT_EQ(read_stream(stream_of(messages)), (Outcome{messages, {}}));
}

TEST(MessageReader, N9_SplitAtEveryByteGivesTheSame) {
  const auto messages = all_messages();
  const auto stream = stream_of(messages);
  for (std::size_t split = 0; split <= stream.size(); ++split) {
    MessageReader reader(kMagic);
    reader.feed(util::ByteView(stream).first(split));
    Outcome outcome = read_all(reader);
    reader.feed(util::ByteView(stream).subspan(split));
    auto rest = read_all(reader);
    std::move(rest.messages.begin(), rest.messages.end(), std::back_inserter(outcome.messages));
    ASSERT_FALSE(rest.error) << split;
    ASSERT_EQ(outcome, (Outcome{messages, {}})) << "split at " << split;
  }
}

TEST(MessageReader, N9_OneByteAtATimeGivesTheSame) {
  const auto messages = all_messages();
  MessageReader reader(kMagic);
  std::vector<Message> got;
  for (const auto byte : stream_of(messages)) {
    reader.prepare(1)[0] = byte;
    reader.commit(1);
    auto next = reader.next();
    ASSERT_TRUE(next);
    if (*next) got.push_back(test::kept(std::move(**next)));
  }
  EXPECT_EQ(got, messages);
  EXPECT_FALSE(reader.mid_frame());
}

TEST(MessageReader, N9_AThousandFramesInOneRead) {
  std::vector<Message> pings;
  for (std::uint64_t i = 0; i < 1'000; ++i) pings.emplace_back(Ping{i});
  EXPECT_EQ(read_stream(stream_of(pings)), (Outcome{pings, {}}));
}

TEST(MessageReader, CountsTheBytesOfWholeFramesOnly) {
  MessageReader reader(kMagic);
  const auto stream = stream_of({Ping{1}, Verack{}});
  reader.feed(util::ByteView(stream).first(stream.size() - 1));
  EXPECT_EQ(read_all(reader).messages.size(), 1U);
  EXPECT_EQ(reader.bytes_consumed(), 32U);
  EXPECT_TRUE(reader.mid_frame());
  reader.feed(util::ByteView(stream).last(1));
  EXPECT_EQ(read_all(reader).messages.size(), 1U);
  EXPECT_EQ(reader.bytes_consumed(), 56U);
  EXPECT_FALSE(reader.mid_frame());
}

TEST(MessageReader, R1_LengthAboveTheLimitIsRefusedFromTheHeaderAlone) {
  auto header = raw_frame("tx", {});
  const auto set_length = [&header](std::uint32_t length) {
    for (std::size_t i = 0; i < 4; ++i) header[16 + i] = static_cast<std::uint8_t>(length >> (8U * i));
  };
  for (const std::uint32_t length : {4'000'001U, 0x8000'0000U, 0xFFFF'FFFFU}) {
    set_length(length);
    EXPECT_EQ(read_stream(header).error, DecodeError::Oversized) << length;
  }
  set_length(4'000'000);
  EXPECT_EQ(read_stream(header), Outcome{});  // waits for the payload
}

TEST(MessageReader, APayloadOfFourMillionBytesPasses) {
  const auto frame = raw_frame("xyzzy", util::Bytes(kMaxPayloadBytes, 1));
  EXPECT_EQ(read_stream(frame), (Outcome{{Unknown{"xyzzy"}}, {}}));
}

TEST(MessageReader, N4_OtherProtocolsAreRefusedAtTheFirstWrongByte) {
  EXPECT_EQ(read_stream(util::as_bytes("G")).error, DecodeError::WrongMagic);
  EXPECT_EQ(read_stream(util::as_bytes("GET / HTTP/1.1\r\n")).error, DecodeError::WrongMagic);
  EXPECT_EQ(read_stream(hex("1603010200010001fc0303")).error, DecodeError::WrongMagic);  // a TLS hello
  EXPECT_EQ(read_stream(hex("f9beb4d9")).error, DecodeError::OtherNetwork);              // mainnet on regtest
  EXPECT_EQ(read_stream(hex("f9be")).error, DecodeError::WrongMagic) << "too little to tell";
  EXPECT_EQ(read_stream(hex("fabfb5db")).error, DecodeError::WrongMagic);
  EXPECT_EQ(read_stream(hex("fabfb5")), Outcome{});
}

TEST(MessageReader, N5_BadChecksumEndsTheStreamAndThePayloadIsNeverParsed) {
  auto frame = raw_frame("ping", util::Bytes(3, 0));  // malformed too: the checksum must be what is said
  frame[20] ^= 1U;
  EXPECT_EQ(read_stream(frame).error, DecodeError::BadChecksum);
}

TEST(MessageReader, ABlockIsProvenByItsRootAndNotByTheChecksum) {
  const auto messages = all_messages();
  const auto block = std::find_if(messages.begin(), messages.end(),
                                  [](const Message& message) { return std::holds_alternative<Block>(message); });
  ASSERT_NE(block, messages.end());
  auto frame = encode_frame(kMagic, *block);
  frame[20] ^= 1U;
  EXPECT_EQ(read_stream(frame), (Outcome{{*block}, {}}));
}

TEST(MessageReader, N6_OddCommandsAreSkippedAndPrintedEscaped) {
  using namespace std::string_view_literals;
  EXPECT_EQ(read_stream(raw_frame("abcdefghijkl", {})), (Outcome{{Unknown{"abcdefghijkl"}}, {}}));
  EXPECT_EQ(read_stream(raw_frame("ping\0x"sv, util::Bytes(8, 0))),
            (Outcome{{Unknown{"ping\\x00x\\x00\\x00\\x00\\x00\\x00\\x00"}}, {}}));
  for (const auto odd : {""sv, "\x01\xff\x80"sv, "\x1b[2J"sv}) {
    auto frame = raw_frame(odd, {});
    const auto good = encode_frame(kMagic, Verack{});
    frame.insert(frame.end(), good.begin(), good.end());
    const auto outcome = read_stream(frame);
    EXPECT_FALSE(outcome.error);
    ASSERT_EQ(outcome.messages.size(), 2U);
    const auto& text = std::get<Unknown>(outcome.messages[0]).command;
    EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; })) << text;
  }
}

TEST(MessageReader, MalformedPayloadEndsTheStreamForGood) {
  MessageReader reader(kMagic);
  reader.feed(raw_frame("ping", util::Bytes(9, 0)));
  EXPECT_EQ(read_all(reader).error, DecodeError::Malformed);
  reader.feed(encode_frame(kMagic, Verack{}));
  EXPECT_EQ(read_all(reader), (Outcome{{}, DecodeError::Malformed}));
}

TEST(MessageReader, MessagesBeforeABadFrameAreStillGiven) {
  auto stream = encode_frame(kMagic, Ping{5});
  stream.push_back(0);
  EXPECT_EQ(read_stream(stream), (Outcome{{Ping{5}}, DecodeError::WrongMagic}));
}

TEST(MessageReader, StrippedTransactionsKnowTheirTxid) {
  const auto tx = test::payment();
  const auto outcome = read_stream(encode_frame(kMagic, Tx{tx}));
  ASSERT_EQ(outcome.messages.size(), 1U);
  EXPECT_EQ(std::get<Tx>(outcome.messages[0]).known_txid, tx.txid());
}

}  // namespace
}  // namespace spv::p2p
