// The public hostile and valid streams, and the essential ones of them written out here, played byte by byte over
// loopback to the running client.
#include <atomic>
#include <memory>

#include <gtest/gtest.h>

#include "tests/net/driver_fixture.h"
#include "tests/net/scripted_peer.h"
#include "tests/p2p/samples.h"
#include "tests/support/vectors.h"

namespace spv::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

enum class Verdict { None, Stayed, Left };

/// What a client did with a stream.
struct Case {
  std::string name;
  std::string stage;
  std::string expect;
  util::Bytes bytes;
  std::atomic<Verdict> verdict{Verdict::None};
};

void play(Case& c, int socket) {
  if (c.verdict != Verdict::None) return;
  ScriptedPeer script(socket);
  const bool before = c.stage == "before version";
  std::optional<p2p::Version> theirs = before ? script.receive<p2p::Version>() : script.shake_hands();
  if (!theirs) return;
  // Its own nonce back: only known now.
  if (c.bytes.empty()) c.bytes = p2p::encode_frame(magic(), ScriptedPeer::version(theirs->nonce));
  script.send(c.bytes, c.bytes.size() > 2'000 ? 997 : 1);
  if (before) {
    // Whoever must leave does so at once, or on a busy machine later, but not because the handshake takes ten seconds.
    const auto limit = c.expect == "disconnect" ? milliseconds(8'000) : milliseconds(1'500);
    c.verdict = script.hung_up(limit) ? Verdict::Left : Verdict::Stayed;
    return;
  }
  script.send(p2p::Ping{0xABCDEF});
  std::optional<p2p::Pong> pong = script.receive<p2p::Pong>(seconds(30));
  while (pong && pong->nonce != 0xABCDEF) pong = script.receive<p2p::Pong>(seconds(30));
  c.verdict = pong ? Verdict::Stayed : Verdict::Left;
}

class PublicStreams : public DriverFixture {
 protected:
  /// All at once, each from a server of its own, byte by byte.
  void play_all(std::vector<std::unique_ptr<Case>>& cases) {
    std::vector<std::unique_ptr<test::LoopbackServer>> servers;
    std::vector<std::uint16_t> ports;
    for (auto& c : cases) {
      servers.push_back(std::make_unique<test::LoopbackServer>([&c](int socket) { play(*c, socket); }));
      ports.push_back(servers.back()->port());
    }
    heartbeat_ = [&] {
      for (const auto& c : cases) {
        if (c->verdict == Verdict::None) return;
      }
      throw Done();
    };
    DriverOptions options;
    options.transport = TransportChoice::V1;
    options.follow = true;
    options.timeout = seconds(100);
    EXPECT_THROW(run(ports, options), Done);
    driver_.reset();  // hangs up, which ends the servers
  }
  /// What each case wants, and a wallet that nothing of it has reached.
  void expect_reactions(const std::vector<std::unique_ptr<Case>>& cases) {
    for (const auto& c : cases) {
      EXPECT_NE(c->verdict, Verdict::None) << c->name;
      EXPECT_FALSE(c->expect == "disconnect" && c->verdict != Verdict::Left) << c->name;
      EXPECT_FALSE(c->expect == "ignore" && c->verdict != Verdict::Stayed) << c->name;
    }
    EXPECT_EQ(wallet_.balance().total(), 0);
  }
};

std::unique_ptr<Case> make_case(std::string_view name, std::string_view stage, std::string_view expect,
                                util::Bytes bytes) {
  auto made = std::make_unique<Case>();
  made->name = name;
  made->stage = stage;
  made->expect = expect;
  made->bytes = std::move(bytes);
  return made;
}

constexpr const char* kBefore = "before version";
constexpr const char* kAfter = "after handshake";
constexpr const char* kLeave = "disconnect";
constexpr const char* kIgnore = "ignore";

/// A frame with one byte of its header changed.
util::Bytes broken_ping(std::size_t at, std::uint8_t value) {
  auto frame = p2p::encode_frame(magic(), p2p::Ping{1});
  frame.at(at) = value;
  return frame;
}

p2p::Version version_with(std::int32_t protocol, std::string user_agent) {
  auto version = ScriptedPeer::version(77);
  version.version = protocol;
  version.user_agent = std::move(user_agent);
  return version;
}

std::vector<std::unique_ptr<Case>> essential_cases() {
  using p2p::test::raw_frame;
  using test::hex;
  const auto text = [](std::string_view line) { return util::to_bytes(util::as_bytes(line)); };
  auto tls = hex("1603010200010001fc0303");
  tls.resize(60, 0x5A);
  auto merkleblock = util::Bytes(80, 0);
  const auto count = hex("ffffffff00");
  merkleblock.insert(merkleblock.end(), count.begin(), count.end());

  std::vector<std::unique_ptr<Case>> cases;
  const auto add = [&cases](std::string_view name, std::string_view stage, std::string_view expect, util::Bytes bytes) {
    cases.push_back(make_case(name, stage, expect, std::move(bytes)));
  };
  add("N1: our own nonce", kBefore, kLeave, {});
  add("N3: a protocol from before filters", kBefore, kLeave, p2p::encode_frame(magic(), version_with(70'000, "/old/")));
  add("N3: a negative protocol", kBefore, kLeave, p2p::encode_frame(magic(), version_with(-1, "/old/")));
  add("N7: a user agent of 257 letters", kBefore, kLeave,
      p2p::encode_frame(magic(), version_with(70'016, std::string(257, 'a'))));
  add("N4: HTTP", kBefore, kLeave, text("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"));
  add("N4: TLS", kBefore, kLeave, std::move(tls));
  add("N4: the magic of another network", kAfter, kLeave, broken_ping(0, 0xF9));
  add("N5: a bad checksum", kAfter, kLeave, broken_ping(20, 0xEE));
  add("R1: a length of 4,000,001", kAfter, kLeave, hex("fabfb5da68656164657273000000000001093d005df6e0e2"));
  add("R2: 2^64-1 headers", kAfter, kLeave, raw_frame("headers", hex("ffffffffffffffffff")));
  add("R2: 2^32-1 inventory items", kAfter, kLeave, raw_frame("inv", hex("feffffffff")));
  add("R2: 50,001 inventory items", kAfter, kLeave, raw_frame("inv", hex("fd51c301000000")));
  add("R2: 2^63 inputs", kAfter, kLeave, raw_frame("tx", hex("01000000ff0000000000000080")));
  add("R3: a count in more bytes than it needs", kAfter, kLeave, raw_frame("headers", hex("fd0000")));
  add("M1: a block of 2^32-1 transactions", kAfter, kLeave, raw_frame("merkleblock", merkleblock));
  add("a ping of nine bytes", kAfter, kLeave, raw_frame("ping", util::Bytes(9, 1)));
  add("N6: an unknown command", kAfter, kIgnore, raw_frame("xyzzy", util::Bytes(100, 7)));
  add("N6: a command of twelve letters", kAfter, kIgnore, raw_frame("abcdefghijkl", {}));
  add("N8: an inventory item of an unknown kind", kAfter, kIgnore,
      raw_frame("inv", hex("0144332211" + std::string(64, '0'))));
  return cases;
}

TEST_F(PublicStreams, N4_N5_N6_R1_R2_R3_TheEssentialHostileOnesGetTheirReaction) {
  auto cases = essential_cases();
  play_all(cases);
  expect_reactions(cases);
  EXPECT_EQ(chain_.height(), 0);
}

TEST_F(PublicStreams, HostileOnesOverLoopbackGetTheReactionThatTheirCaseWants) {
  SPV_VECTOR_FILE_OR_SKIP(path, "p2p/hostile_messages.json");
  const auto file = test::read_json(path);
  std::vector<std::unique_ptr<Case>> cases;
  for (const auto& entry : file.at("cases").as_array()) {
    cases.push_back(make_case(entry.at("name").as_string(), entry.at("stage").as_string(),
                              entry.at("expect").as_string(), test::hex(entry.at("bytes"))));
  }
  play_all(cases);
  expect_reactions(cases);
  EXPECT_LE(chain_.height(), 1);  // one of them begins with a header that is good
}

TEST_F(PublicStreams, ValidOnesOverLoopbackAreTaken) {
  SPV_VECTOR_FILE_OR_SKIP(path, "p2p/valid_messages.json");
  const auto file = test::read_json(path);
  std::vector<std::unique_ptr<Case>> cases;
  for (const auto& entry : file.at("messages").as_array()) {
    const std::string command(entry.at("command").as_string());
    if (command == "version" || command == "verack") continue;  // every handshake here has them
    cases.push_back(make_case(entry.at("name").as_string(), kAfter, kIgnore, test::hex(entry.at("frame"))));
  }
  play_all(cases);
  // Nobody asked for the merkleblock, and the transaction is not ours: both are read and lead to nothing.
  expect_reactions(cases);
}

}  // namespace
}  // namespace spv::net
