// SOCKS5 as a state machine and over real sockets; names, seeds and the lookups that there must not be.
#include <fstream>
#include <mutex>
#include <thread>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include "net/seeds.h"
#include "net/socks5.h"
#include "tests/net/collector.h"
#include "tests/net/driver_fixture.h"
#include "tests/support/loopback_server.h"
#include "tests/support/socks5_server.h"

namespace spv::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kOnion = "2gzyxa5ihm7nsggfxnu52rck2vv4rvmdlkiu3zzui5du4xyclen53wid.onion";

util::Bytes bytes(std::initializer_list<int> values, std::string_view text = {}) {
  util::Bytes out;
  for (const int value : values) out.push_back(static_cast<std::uint8_t>(value));
  out.insert(out.end(), text.begin(), text.end());
  return out;
}

util::Bytes request(const std::string& host) {
  Socks5Client client({.host = "", .port = 0, .user = "", .password = ""}, host, 0x208D);
  EXPECT_EQ(client.take_output(), bytes({5, 1, 0}));
  EXPECT_TRUE(client.receive(bytes({5, 0})));
  return client.take_output();
}

TEST(Socks5Client, AddressesGoAsAddressesAndNamesAsNames) {
  EXPECT_EQ(request("1.2.3.4"), bytes({5, 1, 0, 1, 1, 2, 3, 4, 0x20, 0x8D}));
  EXPECT_EQ(request("2600::5"), bytes({5, 1, 0, 4, 0x26, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0x20, 0x8D}));
  EXPECT_EQ(request("a.example"), bytes({5, 1, 0, 3, 9}, "a.example\x20\x8D"));
  EXPECT_EQ(request(kOnion), bytes({5, 1, 0, 3, 62}, std::string(kOnion) + "\x20\x8D"));
}

TEST(Socks5Client, LogsInWhereTheProxyWantsIt) {
  Socks5Client client({.host = "", .port = 0, .user = "me", .password = "secret"}, "a.example", 1);
  EXPECT_EQ(client.take_output(), bytes({5, 2, 0, 2}));
  EXPECT_TRUE(client.receive(bytes({5, 2})));
  EXPECT_EQ(client.take_output(), bytes({1, 2, 'm', 'e', 6}, "secret"));
  EXPECT_TRUE(client.receive(bytes({1, 0})));
  EXPECT_EQ(client.take_output(), bytes({5, 1, 0, 3, 9}, std::string("a.example\0\x01", 11)));
  EXPECT_EQ(client.wanted(), 5U);
  EXPECT_TRUE(client.receive(bytes({5, 0, 0, 3, 4})));
  EXPECT_EQ(client.wanted(), 6U);
  EXPECT_TRUE(client.receive(bytes({1, 2, 3, 4, 5, 6})));
  EXPECT_EQ(client.wanted(), 0U);
}

TEST(Socks5Client, EveryRefusalHasItsReason) {
  const auto answer = [](std::initializer_list<int> reply) {
    Socks5Client client({.host = "", .port = 0, .user = "u", .password = "p"}, "a", 1);
    client.take_output();
    if (reply.size() == 2) return client.receive(bytes(reply)).error();
    EXPECT_TRUE(client.receive(bytes({5, 0})));
    client.take_output();
    return client.receive(bytes(reply)).error();
  };
  EXPECT_EQ(answer({'H', 'T'}), Socks5Error::NotSocks5);
  EXPECT_EQ(answer({4, 0}), Socks5Error::NotSocks5);
  EXPECT_EQ(answer({5, 0xFF}), Socks5Error::LoginWanted);
  EXPECT_EQ(answer({5, 1, 0, 1, 0}), Socks5Error::GeneralFailure);
  EXPECT_EQ(answer({5, 2, 0, 1, 0}), Socks5Error::NotAllowed);
  EXPECT_EQ(answer({5, 3, 0, 1, 0}), Socks5Error::NetworkUnreachable);
  EXPECT_EQ(answer({5, 4, 0, 1, 0}), Socks5Error::HostUnreachable);
  EXPECT_EQ(answer({5, 5, 0, 1, 0}), Socks5Error::ConnectionRefused);
  EXPECT_EQ(answer({5, 6, 0, 1, 0}), Socks5Error::TimedOut);
  EXPECT_EQ(answer({5, 8, 0, 1, 0}), Socks5Error::NotSupported);
  EXPECT_EQ(answer({5, 0x77, 0, 1, 0}), Socks5Error::GeneralFailure);
  EXPECT_EQ(answer({5, 0, 0, 9, 0}), Socks5Error::NotSocks5);
}

/// Answers from a table, and remembers what it was asked.
class NameServer {
 public:
  Lookup lookup() {
    return [this](const std::string& name) {
      const std::lock_guard lock(mutex_);
      asked_.push_back(name);
      LookupResult result;
      const auto found = table.find(name);
      if (found == table.end()) {
        result.error = "unknown name";
      } else {
        result.addresses = found->second;
      }
      return result;
    };
  }
  std::vector<std::string> asked() const {
    const std::lock_guard lock(mutex_);
    return asked_;
  }
  std::map<std::string, std::vector<std::string>> table;

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> asked_;
};

class ProxyTest : public DriverFixture {
 protected:
  DriverOptions through(const test::Socks5Server& server) {
    DriverOptions options;
    options.transport = TransportChoice::V1;
    options.proxy = Proxy{"127.0.0.1", server.port(), "spv", "fresh"};
    options.lookup = names_.lookup();
    return options;
  }
  static sync::EngineOptions peer(const std::string& host, std::uint16_t port) {
    sync::EngineOptions setup;
    setup.peers = {{host, port}};
    return setup;
  }
  NameServer names_;
};

TEST_F(ProxyTest, P5_WithAProxyNotOneConnectionOrLookupGoesElsewhere) {
  test::FakeNode node(paid_chain());
  const test::LoopbackServer server(test::serve_node(node));
  test::Socks5Server proxy;
  for (const std::string host : {"node.example", kOnion, "11.22.33.44", "2600::1"}) {
    SCOPED_TRACE(host);
    proxy.map(host, 18444, server.port());
    EXPECT_EQ(run(peer(host, 18444), through(proxy)), RunResult::Finished);
    EXPECT_FALSE(driver_->failure());
    EXPECT_EQ(proxy.requests().back(), (test::Socks5Server::Request{"spv", "fresh", host, 18444,
                                                                    host.find_first_of("xn") != std::string::npos}));
  }
  EXPECT_EQ(wallet_.balance().confirmed, 5'000);
  EXPECT_TRUE(names_.asked().empty());
  EXPECT_EQ(server.connections(), proxy.connections());
}

TEST_F(ProxyTest, P5_BehindAProxySeedsAreDialledByNameAndNeverLookedUp) {
  test::FakeNode node(paid_chain());
  const test::LoopbackServer server(test::serve_node(node));
  test::Socks5Server proxy;
  proxy.map("x5.seed.example", params_.default_port, server.port());
  p2p::AddressBook book;
  sync::EngineOptions setup;
  setup.book = sync::BookUse{&book, 1, {.onion = true}};
  auto options = through(proxy);
  options.seeds = {"seed.example"};
  EXPECT_EQ(run(std::move(setup), options), RunResult::Finished);
  EXPECT_FALSE(driver_->failure()) << driver_->failure()->message;
  EXPECT_EQ(wallet_.balance().confirmed, 5'000);
  EXPECT_TRUE(names_.asked().empty());
}

TEST_F(ProxyTest, TheEncryptedTransportComesBackWithThePlainOneThroughTheProxyToo) {
  test::FakeNode node(paid_chain());
  const test::LoopbackServer server(test::serve_node(node));
  test::Socks5Server proxy({.wants_login = false, .refuses_login = false, .refuse_with = 0});
  proxy.map("node.example", 18444, server.port());
  auto options = through(proxy);
  options.transport = TransportChoice::Auto;
  EXPECT_EQ(run(peer("node.example", 18444), options), RunResult::Finished);
  EXPECT_FALSE(driver_->failure());
  EXPECT_EQ(proxy.requests().size(), 2U);
  EXPECT_EQ(server.connections(), 2);
}

TEST_F(ProxyTest, NamesAreLookedUpAndTheirAddressesTriedInTurn) {
  test::FakeNode node(paid_chain());
  const test::LoopbackServer server(test::serve_node(node));
  names_.table["node.example"] = {"::1", "127.0.0.1"};  // nobody listens at the first
  DriverOptions options;
  options.lookup = names_.lookup();
  options.transport = TransportChoice::V1;
  EXPECT_EQ(run(peer("node.example", server.port()), options), RunResult::Finished);
  EXPECT_FALSE(driver_->failure());
  EXPECT_EQ(names_.asked(), std::vector<std::string>{"node.example"});
}

/// Why one attempt failed.
std::string failure(const std::string& host, std::optional<Proxy> proxy, NameServer& names) {
  boost::asio::io_context io;
  Resolver resolver(io, names.lookup());
  const auto& params = chain::params(chain::Network::Regtest);
  const ConnectionSetup setup{io,          resolver,   params.magic, TransportChoice::V1, std::move(proxy),
                              seconds(30), seconds(60)};
  Collector events;
  const auto connection = std::make_shared<Connection>(setup, 1, events);
  boost::asio::post(io, [&] {
    connection->start({host, 18444});
    EXPECT_TRUE(events.inputs.empty()) << "told to whoever is still giving the order";
  });
  events.on_input = [&](const sync::Input& input) {
    if (!std::holds_alternative<sync::ConnectFailed>(input)) io.stop();
  };
  io.run_for(seconds(10));
  if (events.inputs.empty()) return "nothing";
  const auto* failed = std::get_if<sync::ConnectFailed>(&events.inputs.front());
  return failed == nullptr ? "connected" : failed->reason;
}

TEST(ConnectFailure, EveryWayInWhichAProxyFailsIsTold) {
  NameServer names;
  const auto through = [&](std::uint16_t port) {
    return failure("node.example", Proxy{"127.0.0.1", port, "spv", "fresh"}, names);
  };
  const test::Socks5Server refusing({.wants_login = true, .refuses_login = true, .refuse_with = 0});
  EXPECT_EQ(through(refusing.port()), "the proxy refused our login");
  const test::Socks5Server forbidding({.wants_login = true, .refuses_login = false, .refuse_with = 2});
  EXPECT_EQ(through(forbidding.port()), "the proxy does not allow this connection");
  const test::Socks5Server lost;
  EXPECT_EQ(through(lost.port()), "the proxy says: host unreachable");
  EXPECT_EQ(through(1), "cannot reach the proxy 127.0.0.1:1: Connection refused");
  const test::LoopbackServer http(test::serve_bytes(bytes({}, "HTTP/1.1 400 Bad Request\r\n\r\n")));
  EXPECT_EQ(through(http.port()), "what answers there is no SOCKS5 proxy");
  const test::LoopbackServer mute([](int /*socket*/) {});
  EXPECT_EQ(through(mute.port()), "the proxy hung up");
  EXPECT_TRUE(names.asked().empty());
}

TEST(ConnectFailure, AnOnionAddressWithoutAProxyIsNotLookedUp) {
  NameServer names;
  EXPECT_EQ(failure(kOnion, std::nullopt, names), "onion addresses can only be reached through a proxy");
  EXPECT_TRUE(names.asked().empty());
}

TEST(ConnectFailure, AnUnknownNameIsTold) {
  NameServer names;
  EXPECT_EQ(failure("nowhere.example", std::nullopt, names), "cannot resolve the name: unknown name");
}

// --- seeds -----------------------------------------------------------------------------------------------------------

class SeedsTest : public testing::Test {
 protected:
  std::vector<sync::PeersFound> ask(std::vector<std::string> seeds, Lookup lookup) {
    std::vector<sync::PeersFound> out;
    boost::asio::io_context io;
    Resolver resolver(io, std::move(lookup));
    ask_seeds(io, resolver, std::move(seeds), 8333, false, [&](sync::PeersFound found) {
      out.push_back(std::move(found));
      if (out.back().last) io.stop();
    });
    io.run();
    return out;
  }
  NameServer names_;
};

TEST_F(SeedsTest, TheBitsOfTheServicesAreAskedFirstAndThePlainNameLast) {
  names_.table["xd.knows.example"] = {"11.0.0.1", "2600::1"};
  names_.table["x5.some.example"] = {"11.0.0.2"};
  names_.table["plain.example"] = {"11.0.0.3"};
  const auto found = ask({"knows.example", "some.example", "plain.example", "dead.example"}, names_.lookup());
  ASSERT_EQ(found.size(), 4U);
  std::map<std::string, sync::PeersFound> by_source;
  for (std::size_t i = 0; i < found.size(); ++i) {
    by_source[found[i].source] = found[i];
    EXPECT_EQ(found[i].last, i == 3);
  }
  EXPECT_EQ(by_source["knows.example"].services, 0xDU);
  EXPECT_EQ(by_source["knows.example"].addresses,
            (std::vector<sync::PeerAddress>{{"11.0.0.1", 8333}, {"2600::1", 8333}}));
  EXPECT_EQ(by_source["some.example"].services, 5U);
  EXPECT_EQ(by_source["plain.example"].services, 0U);
  EXPECT_EQ(by_source["plain.example"].addresses.size(), 1U);
  EXPECT_TRUE(by_source["dead.example"].addresses.empty());
}

TEST_F(SeedsTest, NoSeedsIsAnAnswerToo) {
  const auto found = ask({}, names_.lookup());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].last);
}

TEST_F(SeedsTest, ALookupThatHangsEndsAtItsDeadlineAndNobodyWaitsForIt) {
  const auto release = std::make_shared<std::atomic<bool>>(false);
  LookupResult result;
  const auto began = read_clock().monotonic;
  {
    boost::asio::io_context io;
    Resolver resolver(io, [release](const std::string&) {
      while (!*release) std::this_thread::sleep_for(milliseconds(5));
      return LookupResult{{"1.2.3.4"}, ""};
    });
    const auto wait = [](Resolver& names, LookupResult& out) -> boost::asio::awaitable<void> {
      out = co_await names.resolve("slow.example", milliseconds(100));
    };
    boost::asio::co_spawn(io, wait(resolver, result), boost::asio::detached);
    io.run();
  }
  EXPECT_LT(read_clock().monotonic - began, seconds(5));
  EXPECT_EQ(result.error, "no answer in time");
  *release = true;  // its thread comes back to a closed door
  std::this_thread::sleep_for(milliseconds(50));
}

TEST_F(SeedsTest, TheSystemsLookupKnowsLocalhost) {
  std::ifstream hosts("/etc/hosts");
  const std::string known((std::istreambuf_iterator<char>(hosts)), std::istreambuf_iterator<char>());
  if (known.find("localhost") == std::string::npos) GTEST_SKIP() << "no localhost in /etc/hosts";
  const auto result = system_lookup("localhost");
  ASSERT_FALSE(result.addresses.empty()) << result.error;
  // A label of 64 letters is none: it is refused here, without a question to the network.
  EXPECT_FALSE(system_lookup(std::string(64, 'x') + ".invalid").error.empty());
}

}  // namespace
}  // namespace spv::net
