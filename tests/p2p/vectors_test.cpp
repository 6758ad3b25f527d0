// The public message sets: frames that must be taken, and hostile streams with the wanted reaction.
#include "tests/support/vectors.h"

#include <algorithm>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "p2p/message_reader.h"
#include "p2p/peer_session.h"
#include "tests/p2p/samples.h"

namespace spv::p2p {
namespace {

using spv::test::hex;

// Well-formed messages whose fault only the layers above can see: the header chain refuses the headers, the sync
// engine and the wallet the rest. Here they must arrive there, and nothing else may end in a "disconnect" not given.
const std::set<std::string> kForLayersAbove = {
    "headers: not continuous",
    "headers: proof-of-work fails",
    "headers: nBits 00000000: target zero",
    "headers: nBits ff7fffff: target overflows 256 bits",
    "headers: nBits 217fffff: target above limit",
    "headers: nBits 1d00ffff: harder than claimed hash / wrong bits",
    "headers: timestamp equal to median time past",
    "headers: genesis again: duplicate",
    "headers: second genesis: prev is zero",
    "inv: unknown inventory type",
    "inv: same txid three times: one getdata",
    "tx: amount above 21M: never enters the wallet",
    "tx: amount 2^63-1: never enters the wallet",
    "tx: output sum overflows int64 (CVE-2010-5139 shape)",
    "tx: same input twice (CVE-2018-17144 shape)",
    "tx: no outputs",
    "tx: loose coinbase paying us: must not be taken",
    "tx: locktime far ahead but sequence final: final",
    "tx: non-final payment to us: shown, if at all, as not final; not in the balance",
    "merkleblock: valid PoW, but for a block not in our chain: nothing stored, nothing confirmed",
    "notfound: peer refuses a filtered block: try another peer, do not mark the block as scanned",
    "getdata: asks us for an unknown tx: notfound or nothing; must not reveal wallet txs we did not announce to this "
    "peer",
    "feefilter: negative fee",
};

constexpr std::uint64_t kOurNonce = 4711;

struct Reaction {
  bool disconnected = false;
  std::vector<Message> forwarded;
};

void shake_hands(PeerSession& session) {
  session.handle(test::peer_version(), {});
  session.handle(Verack{}, {});
}

Reaction react(MessageReader& reader, PeerSession& session) {
  Reaction reaction;
  auto outcome = test::read_all(reader);
  reaction.disconnected = outcome.error.has_value();
  for (auto& message : outcome.messages) {
    const auto result = session.handle(message, {});
    if (result.error) reaction.disconnected = true;
    if (reaction.disconnected && result.error) break;
    if (result.forward && !std::holds_alternative<Unknown>(message)) reaction.forwarded.push_back(std::move(message));
  }
  return reaction;
}

bool forwards_headers(const Reaction& reaction) {
  return std::any_of(reaction.forwarded.begin(), reaction.forwarded.end(),
                     [](const Message& m) { return std::holds_alternative<Headers>(m); });
}

Reaction react(const util::Bytes& bytes, std::string_view stage, std::size_t split) {
  MessageReader reader(test::kMagic);
  PeerSession session(kOurNonce, {});
  if (stage == "after handshake") shake_hands(session);
  reader.feed(util::ByteView(bytes).first(split));
  Reaction first = react(reader, session);
  if (first.disconnected) return first;
  reader.feed(util::ByteView(bytes).subspan(split));
  Reaction second = react(reader, session);
  std::move(second.forwarded.begin(), second.forwarded.end(), std::back_inserter(first.forwarded));
  first.disconnected = second.disconnected;
  return first;
}

void check(const std::string& name, std::string_view expect, const Reaction& reaction) {
  if (kForLayersAbove.contains(name)) {
    EXPECT_FALSE(reaction.disconnected) << name;
    EXPECT_FALSE(reaction.forwarded.empty()) << name;
  } else if (expect == "disconnect") {
    EXPECT_TRUE(reaction.disconnected || forwards_headers(reaction)) << name;
  } else if (expect == "ignore") {
    EXPECT_FALSE(reaction.disconnected) << name;
  }
}

TEST(HostileMessages, EachGetsTheReactionThatItsCaseWants) {
  SPV_VECTOR_FILE_OR_SKIP(path, "p2p/hostile_messages.json");
  const auto file = spv::test::read_json(path);
  for (const auto& entry : file.at("cases").as_array()) {
    const std::string name(entry.at("name").as_string());
    const std::string_view stage = entry.at("stage").as_string();
    auto bytes = hex(entry.at("bytes"));
    if (name == "version to self") bytes = encode_frame(test::kMagic, test::peer_version(kOurNonce));
    ASSERT_FALSE(bytes.empty()) << name;
    check(name, entry.at("expect").as_string(), react(bytes, stage, bytes.size()));
  }
}

TEST(HostileMessages, N9_TheReactionIsTheSameSplitAtEveryByte) {
  SPV_VECTOR_FILE_OR_SKIP(path, "p2p/hostile_messages.json");
  constexpr std::size_t kLong = 2'000;  // of longer streams, the ends
  const auto file = spv::test::read_json(path);
  for (const auto& entry : file.at("cases").as_array()) {
    const std::string_view stage = entry.at("stage").as_string();
    const auto bytes = hex(entry.at("bytes"));
    const auto whole = react(bytes, stage, bytes.size());
    for (std::size_t split = 0; split < bytes.size(); ++split) {
      if (bytes.size() > kLong && split > 100 && split + 100 < bytes.size()) continue;
      const auto parts = react(bytes, stage, split);
      ASSERT_EQ(parts.disconnected, whole.disconnected) << entry.at("name") << " split at " << split;
      ASSERT_EQ(parts.forwarded, whole.forwarded) << entry.at("name") << " split at " << split;
    }
  }
}

TEST(ValidMessages, AllAreTakenAndKnownOnesGiveTheSameFrameBack) {
  SPV_VECTOR_FILE_OR_SKIP(path, "p2p/valid_messages.json");
  const auto file = spv::test::read_json(path);
  for (const auto& entry : file.at("messages").as_array()) {
    const auto frame = hex(entry.at("frame"));
    const auto outcome = test::read_stream(frame);
    ASSERT_FALSE(outcome.error) << entry.at("name");
    ASSERT_EQ(outcome.messages.size(), 1U) << entry.at("name");
    const auto& message = outcome.messages[0];
    EXPECT_EQ(command_of(message), std::string_view(entry.at("command").as_string()));
    if (std::holds_alternative<Unknown>(message)) continue;
    auto again = encode_payload(message);
    const auto payload = hex(entry.at("payload"));
    if (std::holds_alternative<Version>(message)) again.resize(payload.size());  // relay may be absent
    EXPECT_EQ(again, payload) << entry.at("name");
  }
}

TEST(PublicFrames, AllAreTakenAndGiveTheSameFrameBack) {
  SPV_VECTOR_FILE_OR_SKIP(path, "p2p/public_frames.json");
  const auto file = spv::test::read_json(path);
  const auto magic_bytes = hex(file.at("magic"));
  Magic magic{};
  std::copy_n(magic_bytes.begin(), magic.size(), magic.begin());
  for (const auto& entry : file.at("frames").as_array()) {
    const auto frame = hex(entry.at("frame"));
    MessageReader reader(magic);
    reader.feed(frame);
    const auto outcome = test::read_all(reader);
    ASSERT_EQ(outcome.messages.size(), 1U) << entry.at("name");
    EXPECT_EQ(encode_frame(magic, outcome.messages[0]), frame) << entry.at("name");
  }
}

}  // namespace
}  // namespace spv::p2p
