// How peers are found and reached, by the built program against a real bitcoind: the address book, several addresses,
// names, IPv6, proxies, and both transports as the node itself sees them.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "tests/integration/same_keys.h"
#include "tests/support/process.h"
#include "tests/support/socks5_server.h"

namespace spv::test {
namespace {

constexpr std::int64_t kBtc = 100'000'000;
constexpr const char* kOnion = "2gzyxa5ihm7nsggfxnu52rck2vv4rvmdlkiu3zzui5du4xyclen53wid.onion";

/// A port of ::1 that is free now; nullopt where there is no IPv6.
std::optional<std::uint16_t> free_ipv6_port() {
  const int probe = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_addr = in6addr_loopback;
  socklen_t size = sizeof address;
  auto* raw = reinterpret_cast<sockaddr*>(&address);
  const bool bound = probe >= 0 && bind(probe, raw, size) == 0 && getsockname(probe, raw, &size) == 0;
  if (probe >= 0) close(probe);
  if (!bound) return std::nullopt;
  return ntohs(address.sin6_port);
}

class FindingPeers : public testing::Test {
 protected:
  void start(BitcoindOptions options = {}) {
    node_.emplace(options);
    node_->mine(101);
    cli_.json({"restore", "--mnemonic-file", "-"}, SameKeys::kMnemonic);
    node_->send(std::string(cli_.json({"address"}).at("address").as_string()), kBtc);
    node_->mine(1);
  }
  boost::json::value sync(std::vector<std::string> extra) {
    std::vector<std::string> arguments{"sync", "--mempool-wait", "0"};
    arguments.insert(arguments.end(), extra.begin(), extra.end());
    return cli_.json(std::move(arguments));
  }
  static std::int64_t balance(const boost::json::value& summary) {
    return summary.at("balance").at("total_sat").as_int64();
  }
  static std::string transport(const boost::json::value& summary) {
    return std::string(summary.at("peers").at(0).at("transport").as_string());
  }
  /// Our entry in the node's list of peers, while a following spv is connected.
  boost::json::object as_the_node_sees_us(const std::vector<std::string>& extra) {
    std::vector<std::string> command{SpvCli::binary(), "--regtest", "--datadir", cli_.folder().string(),
                                     "sync",           "--follow",  "--connect", node_->address()};
    command.insert(command.end(), extra.begin(), extra.end());
    ChildProcess follower(command, (cli_.folder() / "follow.log").string());
    for (int i = 0; i < 200; ++i) {
      const auto peers = node_->rpc("getpeerinfo");
      for (const auto& peer : peers.as_array()) {
        const auto id = peer.at("id").to_number<std::int64_t>();
        if (peer.at("subver").as_string() != "/spv:0.1.0/" || id <= last_seen_) continue;
        last_seen_ = id;  // the node may still list this one when the next one comes
        return peer.as_object();
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return {};
  }

  std::optional<Bitcoind> node_;
  SpvCli cli_;
  std::int64_t last_seen_ = -1;
};

TEST_F(FindingPeers, TheNodeSeesTheEncryptedTransportAndNothingThatTellsWhoWeAre) {
  SPV_BITCOIND_OR_SKIP();
  start();
  const auto encrypted = as_the_node_sees_us({});
  ASSERT_FALSE(encrypted.empty());
  EXPECT_EQ(encrypted.at("transport_protocol_type").as_string(), "v2");
  EXPECT_EQ(encrypted.at("services").as_string(), "0000000000000000");
  EXPECT_EQ(encrypted.at("startingheight").to_number<int>(), 0);
  EXPECT_EQ(as_the_node_sees_us({"--transport", "v1"}).at("transport_protocol_type").as_string(), "v1");
}

TEST_F(FindingPeers, ANodeWithoutTheEncryptedTransportGetsThePlainOne) {
  SPV_BITCOIND_OR_SKIP();
  BitcoindOptions options;
  options.arguments = {"-v2transport=0"};
  start(options);
  const auto summary = sync({"--connect", node_->address()});
  EXPECT_EQ(transport(summary), "v1");
  EXPECT_EQ(balance(summary), kBtc);
  EXPECT_EQ(as_the_node_sees_us({}).at("transport_protocol_type").as_string(), "v1");
}

TEST_F(FindingPeers, ThroughAProxyByAddressByNameAndToAnOnionService) {
  SPV_BITCOIND_OR_SKIP();
  start();
  Socks5Server proxy;
  proxy.map("127.0.0.1", node_->port(), node_->port());
  proxy.map("node.example", 18444, node_->port());
  proxy.map(kOnion, 18444, node_->port());
  std::string password;
  for (const std::string& target : {node_->address(), std::string("node.example"), std::string(kOnion) + ":18444"}) {
    const auto summary = sync({"--connect", target, "--proxy", proxy.address()});
    EXPECT_EQ(balance(summary), kBtc) << target;
    EXPECT_EQ(transport(summary), "v2") << target;
    const auto request = proxy.requests().back();
    EXPECT_EQ(request.by_name, target != node_->address());
    EXPECT_FALSE(request.user.empty());
    EXPECT_NE(request.password, password) << "every run has a circuit of its own";
    password = request.password;
  }
  EXPECT_EQ(transport(sync({"--connect", "node.example", "--proxy", proxy.address(), "--transport", "v1"})), "v1");
}

TEST_F(FindingPeers, AProxyThatFailsIsTold) {
  cli_.json({"restore", "--mnemonic-file", "-"}, SameKeys::kMnemonic);
  const auto error = [&](const std::string& proxy) {
    const auto result = cli_.run({"sync", "--connect", "node.example", "--proxy", proxy});
    EXPECT_EQ(result.exit_code, 3) << result.err;
    return result.err;
  };
  Socks5Server lost;
  EXPECT_NE(error(lost.address()).find("host unreachable"), std::string::npos);
  EXPECT_NE(error("127.0.0.1:1").find("cannot reach the proxy"), std::string::npos);
  EXPECT_EQ(cli_.run({"sync", "--connect", "node.example", "--proxy", "127.0.0.1:0"}).exit_code, 2);
  EXPECT_EQ(cli_.run({"sync", "--connect", kOnion}).exit_code, 2);  // Tor alone could reach it
}

TEST_F(FindingPeers, SeveralAddressesNamesAndIpv6) {
  SPV_BITCOIND_OR_SKIP();
  const auto port = free_ipv6_port();
  BitcoindOptions options;
  if (port) options.arguments = {"-bind=[::1]:" + std::to_string(*port)};
  start(options);
  // Not every container knows the name.
  const std::string name = run({"getent", "hosts", "localhost"}).exit_code == 0 ? "localhost" : "127.0.0.1";
  const auto summary = sync(
      {"--connect", "127.0.0.1:1", "--connect", name + ":" + std::to_string(node_->port()), "--connect", "[::1]:1"});
  EXPECT_EQ(balance(summary), kBtc);
  if (port) {
    EXPECT_EQ(balance(sync({"--connect", "[::1]:" + std::to_string(*port)})), kBtc);
  }
}

TEST_F(FindingPeers, TheAddressBookIsUsedWhereNoAddressIsGivenAndRemembersWhatItFound) {
  SPV_BITCOIND_OR_SKIP();
  start();
  EXPECT_EQ(cli_.run({"sync"}).exit_code, 3);  // nobody is known
  cli_.json({"peers", "add", node_->address()});
  EXPECT_EQ(balance(sync({})), kBtc);
  const auto list = cli_.json({"peers"});
  ASSERT_EQ(list.at("peers").as_array().size(), 1U);
  const auto& entry = list.at("peers").at(0);
  EXPECT_EQ(entry.at("address").as_string(), node_->address());
  EXPECT_EQ(entry.at("state").as_string(), "good");
  EXPECT_TRUE(entry.at("bloom").as_bool());
  const auto banned = cli_.json({"peers", "ban", node_->address()});
  EXPECT_EQ(banned.at("peers").at(0).at("state").as_string(), "banned");
  const auto refused = cli_.run({"sync"});
  EXPECT_EQ(refused.exit_code, 3);
  cli_.json({"peers", "unban", node_->address()});
  EXPECT_EQ(balance(sync({})), kBtc);
  const auto text = cli_.run({"peers"});
  EXPECT_NE(text.out.find("serves filters"), std::string::npos) << text.out;
}

TEST_F(FindingPeers, E9_ANodeWithoutBloomFiltersIsRemembered) {
  SPV_BITCOIND_OR_SKIP();
  BitcoindOptions options;
  options.bloom_filters = false;
  Bitcoind node(options);
  cli_.json({"restore", "--mnemonic-file", "-"}, SameKeys::kMnemonic);
  cli_.json({"peers", "add", node.address()});
  const auto result = cli_.run({"sync"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_NE(result.err.find("peerbloomfilters=1"), std::string::npos) << result.err;
  const auto list = cli_.json({"peers"});
  EXPECT_EQ(list.at("peers").at(0).at("state").as_string(), "bad");
  EXPECT_NE(std::string(list.at("peers").at(0).at("why").as_string()).find("NODE_BLOOM"), std::string::npos);
}

TEST_F(FindingPeers, TheAddressBookIsPrivateAndADamagedOneIsBegunAnew) {
  namespace fs = std::filesystem;
  cli_.json({"peers", "add", "1.2.3.4", "[2600::1]:8333", kOnion});
  const auto path = cli_.folder() / "regtest" / "peers.dat";
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(cli_.json({"peers"}).at("peers").as_array().size(), 3U);
  fs::resize_file(path, 20);
  const auto result = cli_.run({"peers"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.err.find("a new one is begun"), std::string::npos);
}

TEST_F(FindingPeers, BadAddressesAreRefused) {
  for (const char* address : {"", ":", "1.2.3.4.5", "1.2.3.4:0", "1.2.3.4:65536", "[1.2.3.4]:1", "[::1", "node.example",
                              "bad host", "a.onion", "1.2.3.4:x"}) {
    EXPECT_EQ(cli_.run({"peers", "add", address}).exit_code, 2) << address;
  }
  EXPECT_EQ(cli_.run({"peers", "unban", "1.2.3.4"}).exit_code, 1);
  EXPECT_EQ(cli_.run({"peers", "ban"}).exit_code, 2);
  EXPECT_EQ(cli_.run({"peers", "ban", "1.2.3.4", "--days", "nan"}).exit_code, 2);
}

}  // namespace
}  // namespace spv::test
