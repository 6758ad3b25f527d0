// What breaks on the wire, over real sockets: resets at every state, peers that trickle or never read, a network that
// goes and comes back.
#include <algorithm>
#include <arpa/inet.h>
#include <atomic>
#include <ctime>
#include <filesystem>
#include <functional>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "tests/net/collector.h"
#include "tests/net/driver_fixture.h"
#include "tests/net/scripted_peer.h"
#include "tests/support/loopback_server.h"
#include "util/ensure.h"

namespace spv::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

double client_cpu() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

class Faults : public DriverFixture {
 protected:
  static DriverOptions plain() {
    DriverOptions options;
    options.transport = TransportChoice::V1;
    return options;
  }
  /// A good peer beside the bad one: the sync must end well.
  void expect_good_end(const test::LoopbackServer::Serve& bad, DriverOptions options = plain()) {
    test::FakeNode node(paid_chain());
    const test::LoopbackServer good(test::serve_node(node));
    const test::LoopbackServer faulty(bad);
    EXPECT_EQ(run({faulty.port(), good.port()}, std::move(options)), RunResult::Finished);
    EXPECT_FALSE(driver_->failure());
    EXPECT_EQ(wallet_.balance().confirmed, 5'000);
  }
  /// The same where the bad one must be left: `is_left` tells after the handshake, and nothing ends before.
  void expect_left(const std::function<bool(ScriptedPeer&)>& is_left) {
    std::atomic<bool> told{false};
    std::atomic<bool> left{false};
    test::FakeNode node(paid_chain());
    const test::LoopbackServer good(test::serve_node(node));
    const test::LoopbackServer faulty([&](int socket) {
      ScriptedPeer script(socket);
      if (told || !script.shake_hands()) return;
      left = is_left(script);
      told = true;
    });
    heartbeat_ = [&] {
      if (told && wallet_.balance().confirmed == 5'000) throw Done();
    };
    auto options = plain();
    options.follow = true;
    options.timeout = seconds(100);
    EXPECT_THROW(run({faulty.port(), good.port()}, options), Done);
    heartbeat_ = nullptr;
    EXPECT_TRUE(left);
  }
};

TEST_F(Faults, N11_AResetAtEveryStateOfTheHandshakeIsSurvived) {
  for (int state = 0; state < 4; ++state) {
    SCOPED_TRACE(state);
    expect_good_end([state](int socket) {
      test::reset_on_close(socket);
      ScriptedPeer script(socket);
      if (state >= 1) script.receive<p2p::Version>();
      if (state >= 2) script.send(ScriptedPeer::version(77));
      if (state >= 3) script.receive<p2p::Verack>();
    });
  }
}

TEST_F(Faults, N11_AResetAfterEveryKindOfRequestIsSurvived) {
  for (int requests = 0; requests < 4; ++requests) {
    SCOPED_TRACE(requests);
    test::FakeNode node(paid_chain());
    expect_good_end([&node, requests](int socket) {
      test::reset_on_close(socket);
      ScriptedPeer script(socket);
      if (!script.shake_hands()) return;
      if (requests >= 1) script.receive<p2p::GetHeaders>();
      if (requests >= 2) script.send(p2p::Headers{});
      if (requests >= 3) script.receive<p2p::GetData>(milliseconds(300));
      const auto half = p2p::encode_frame(magic(), p2p::Headers{{node.chain().block(1).header}});
      script.send(util::ByteView(half).first(half.size() / 2));
    });
  }
}

TEST_F(Faults, N11_APeerThatAcceptsAndIsSilentDoesNotHoldUpTheOthers) {
  expect_good_end([](int socket) { ScriptedPeer(socket).hung_up(seconds(20)); });
}

TEST_F(Faults, R4_AMessageThatTricklesInIsCutOffAtItsDeadline) {
  auto options = plain();
  options.follow = true;
  options.frame_timeout = milliseconds(400);
  std::atomic<bool> cut{false};
  const test::LoopbackServer slow([&](int socket) {
    ScriptedPeer script(socket);
    if (!script.shake_hands()) return;
    const auto frame = p2p::encode_frame(magic(), p2p::Unknown{"slow"});
    for (const auto byte : frame) {
      if (!script.send(util::Bytes{byte}) || script.hung_up(milliseconds(100))) break;
    }
    cut = true;
  });
  heartbeat_ = [&] {
    if (cut && !peer_states_.empty() && peer_states_.back() == "a message did not end in time") throw Done();
  };
  options.timeout = seconds(20);
  EXPECT_THROW(run({slow.port()}, options), Done);
}

TEST_F(Faults, R4_TheDeadlineOfAMessageIsMeasuredByTheClockOfTheDriver) {
  util::Now now = read_clock();  // moves by hand alone
  auto options = plain();
  options.follow = true;
  options.frame_timeout = seconds(30);
  options.timeout = seconds(20);
  options.clock = [&now] { return now; };
  std::atomic<bool> half_sent{false};
  const test::LoopbackServer slow([&](int socket) {
    ScriptedPeer script(socket);
    if (half_sent || !script.shake_hands() || !script.receive<p2p::GetHeaders>()) return;
    script.send(p2p::Headers{});
    const auto frame = p2p::encode_frame(magic(), p2p::Unknown{"slow"});
    script.send(util::ByteView(frame).first(frame.size() / 2));
    half_sent = true;
    script.hung_up(seconds(20));
  });
  int beats = 0;
  heartbeat_ = [&] {
    if (half_sent && ++beats == 3) now.monotonic += seconds(31);
    if (!peer_states_.empty() && peer_states_.back() == "a message did not end in time") throw Done();
  };
  EXPECT_THROW(run({slow.port()}, options), Done);
  EXPECT_GE(beats, 3);
}

// For longer than a message may take there is always half a one, but each of them takes a tenth of a second.
TEST_F(Faults, R4_ManySmallMessagesOneByteAtATimeAreNoSlowloris) {
  auto options = plain();
  options.follow = true;
  options.frame_timeout = seconds(4);
  options.timeout = seconds(100);
  std::atomic<bool> over{false};
  std::atomic<bool> kept{true};
  const test::LoopbackServer small([&](int socket) {
    ScriptedPeer script(socket);
    if (over || !script.shake_hands() || !script.receive<p2p::GetHeaders>()) return;
    script.send(p2p::Headers{});
    const auto frame = p2p::encode_frame(magic(), p2p::Unknown{"small"});
    script.send(util::ByteView(frame).first(1));
    const auto end = read_clock().monotonic + seconds(6);
    while (kept && read_clock().monotonic < end) {
      for (std::size_t i = 1; kept && i + 1 < frame.size(); ++i) {
        kept = script.send(util::Bytes{frame[i]}) && !script.hung_up(milliseconds(1));
      }
      kept = kept && script.send(util::Bytes{frame.back(), frame.front()});  // the next one begins with it
    }
    over = true;
  });
  heartbeat_ = [&] {
    if (over) throw Done();
  };
  EXPECT_THROW(run({small.port()}, options), Done);
  EXPECT_TRUE(kept) << (peer_states_.empty() ? "" : peer_states_.back());
}

TEST_F(Faults, R11_ARunKeepsNoDescriptorsOfPeersThatItLost) {
  const auto open_files = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator{});
  };
  const test::LoopbackServer server([](int /*socket*/) {});
  const auto before = open_files();
  std::ptrdiff_t last = 0;
  heartbeat_ = [&] { last = open_files(); };
  constexpr std::size_t kPeers = 60;
  run(std::vector<std::uint16_t>(kPeers, server.port()), plain());
  EXPECT_GE(server.connections(), static_cast<int>(2 * kPeers));
  EXPECT_LE(last, before + 10);
}

TEST_F(Faults, R9_APeerThatPingsWithoutEndIsLeft) {
  expect_left([](ScriptedPeer& script) {
    util::Bytes pings;
    for (std::uint64_t i = 0; i < 2'000; ++i) {
      const auto frame = p2p::encode_frame(magic(), p2p::Ping{i});
      pings.insert(pings.end(), frame.begin(), frame.end());
    }
    script.send(pings);
    return script.hung_up(seconds(30));
  });
}

/// A port on which nobody listens and which nobody else gets.
class HeldPort {
 public:
  explicit HeldPort(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const int on = 1;
    setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    util::ensure(bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0, "the port is taken");
  }
  HeldPort(const HeldPort&) = delete;
  HeldPort& operator=(const HeldPort&) = delete;
  ~HeldPort() { close(socket_); }

 private:
  int socket_;
};

// How soon it tries again is measured on a clock of its own by Peers.E3_*; a busy machine takes longer for the rest.
TEST_F(Faults, E3_FollowingGoesOnWithinFiveSecondsAfterTheNetworkIsBackWithoutABusyLoop) {
  test::FakeNode node(paid_chain());
  test::FakeNode later(paid_chain().blocks(5));
  std::optional<test::LoopbackServer> server(std::in_place, test::serve_node(node));
  std::optional<HeldPort> held;
  const auto port = server->port();
  auto options = plain();
  options.follow = true;
  options.timeout = seconds(60);
  using Clock = std::chrono::steady_clock;
  std::optional<Clock::time_point> down;
  std::optional<Clock::time_point> up;
  double cpu_down = 0;
  double cpu_up = 0;
  heartbeat_ = [&] {
    const auto now = Clock::now();
    if (!down && chain_.height() == 101) {
      down = now;
      cpu_down = client_cpu();
      server.reset();
      held.emplace(port);
    } else if (down && !up && now - *down > seconds(3)) {
      up = now;
      cpu_up = client_cpu();
      server.emplace(test::serve_node(later), port);
    } else if (up && chain_.height() == 106) {
      throw Done();
    }
  };
  EXPECT_THROW(run({port}, options), Done);
  ASSERT_TRUE(up);
  const std::chrono::duration<double> back = Clock::now() - *up;
  RecordProperty("seconds_until_back", std::to_string(back.count()));
  EXPECT_LE(back, seconds(15));
  const double share = (cpu_up - cpu_down) / std::chrono::duration<double>(*up - *down).count();
  RecordProperty("cpu_share_offline_percent", std::to_string(share * 100));
  EXPECT_LT(share, 0.01);
}

TEST_F(Faults, R14_APeerThatFloodsCostsLittleAndIsLeft) {
  util::Bytes flood;
  const auto frame = [](std::size_t size) {
    util::Bytes payload(size, 0x33);
    auto bytes = p2p::encode_frame(magic(), p2p::CFilter{0, {}, std::move(payload)});
    std::copy_n("xyzzyxx", 7, bytes.begin() + 4);  // the command: now it is unknown
    return bytes;
  };
  for (int i = 0; i < 40; ++i) {
    const auto large = frame(1'000'000);
    flood.insert(flood.end(), large.begin(), large.end());
  }
  const double start = client_cpu();
  expect_good_end([](int /*socket*/) {});
  const double alone = client_cpu() - start;
  expect_left([&](ScriptedPeer& script) { return !script.send(flood) || script.hung_up(seconds(30)); });
  const double extra = client_cpu() - start - 2 * alone;
  RecordProperty("extra_cpu_seconds", std::to_string(extra));
  EXPECT_LT(extra, 0.25);
}

// --- one connection alone ------------------------------------------------------------------------------------------

class ConnectionTest : public testing::Test {
 protected:
  std::shared_ptr<Connection> start(std::uint16_t port) {
    auto connection = std::make_shared<Connection>(setup_, next_id_++, events_);
    connection->start({"127.0.0.1", port});
    return connection;
  }
  const sync::PeerDisconnected* lost() const {
    return events_.inputs.empty() ? nullptr : std::get_if<sync::PeerDisconnected>(&events_.inputs.back());
  }

  boost::asio::io_context io_;
  Resolver resolver_{io_, system_lookup};
  ConnectionSetup setup_{io_, resolver_, magic(), TransportChoice::V1, std::nullopt, milliseconds(400), seconds(60)};
  Collector events_;
  sync::PeerId next_id_ = 1;
};

TEST_F(ConnectionTest, R10_APeerThatNeverReadsIsLeftAtItsDeadline) {
  std::atomic<bool> over{false};
  const test::LoopbackServer server([&](int /*socket*/) {
    while (!over) std::this_thread::sleep_for(milliseconds(10));
  });
  const auto connection = start(server.port());
  events_.on_input = [&](const sync::Input& input) {
    if (!std::holds_alternative<sync::PeerConnected>(input)) return;
    p2p::GetData large;
    large.items.resize(p2p::kMaxInventory);
    for (int i = 0; i < 8; ++i) connection->send(large);  // more than the kernel's buffers hold
  };
  const auto began = read_clock().monotonic;
  // A busy machine may take its time; the usual deadline would take longer still.
  while (lost() == nullptr && read_clock().monotonic < began + seconds(25)) {
    io_.run_for(milliseconds(50));
    io_.restart();
    connection->check_deadlines();
  }
  over = true;
  ASSERT_NE(lost(), nullptr);
  EXPECT_EQ(lost()->reason, "it does not take what we send");
  io_.run_for(milliseconds(10));
}

TEST_F(ConnectionTest, R4_ItsDeadlinesAreMeasuredByTheClockThatItWasGiven) {
  util::Now now = read_clock();
  setup_.clock = [&now] { return now; };
  setup_.frame_timeout = milliseconds(1);
  const test::LoopbackServer server([](int socket) {
    ScriptedPeer script(socket);
    script.send(util::ByteView(p2p::encode_frame(magic(), p2p::Unknown{"half"})).first(10));
    script.hung_up(seconds(20));
  });
  const auto connection = start(server.port());
  const auto pass = [&] {
    io_.run_for(milliseconds(100));
    io_.restart();
    connection->check_deadlines();
  };
  for (int i = 0; i < 50 && events_.bytes_in == 0; ++i) pass();
  ASSERT_EQ(events_.bytes_in, 10U);
  pass();
  EXPECT_EQ(lost(), nullptr) << "no time has passed by this clock";
  now.monotonic += milliseconds(2);
  pass();
  pass();
  ASSERT_NE(lost(), nullptr);
  EXPECT_EQ(lost()->reason, "a message did not end in time");
}

TEST_F(ConnectionTest, R11_TenThousandConnectionsLeaveNoDescriptorsBehind) {
  const auto open_files = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator{});
  };
  const test::LoopbackServer server([](int socket) { test::reset_on_close(socket); });
  constexpr int kCycles = 10'000;
  int cycles = 0;
  std::ptrdiff_t most = 0;
  std::shared_ptr<Connection> connection = start(server.port());
  const auto before = open_files();
  events_.on_input = [&](const sync::Input& input) {
    if (std::holds_alternative<sync::PeerConnected>(input)) return;
    events_.inputs.clear();
    if (++cycles % 1'000 == 0) most = std::max(most, open_files());
    if (cycles < kCycles) connection = start(server.port());
  };
  io_.run();
  EXPECT_EQ(cycles, kCycles);
  EXPECT_LE(most, before + 2);
}

}  // namespace
}  // namespace spv::net
