#include "tests/support/bitcoind.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <netinet/in.h>
#include <signal.h>
#include <sstream>
#include <stdexcept>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "tests/support/files.h"
#include "tests/support/poll_until.h"

namespace spv::test {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr int kStartAttempts = 5;
constexpr auto kStartTimeout = 60s;
constexpr auto kStopTimeout = 30s;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

std::optional<std::string> on_path(const std::string& program) {
  std::istringstream folders(variable("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (!folder.empty() && is_program(fs::path(folder) / program)) return (fs::path(folder) / program).string();
  }
  return std::nullopt;
}

// Free now; another program may still take it first, so a start is tried more than once.
std::uint16_t free_port() {
  const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  const bool found = bind(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
                     getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  close(probe);
  if (!found) throw std::runtime_error("no free port on 127.0.0.1");
  return ntohs(address.sin_port);
}

}  // namespace

std::optional<std::string> Bitcoind::binary() {
  if (const auto named = variable("BITCOIND"); !named.empty()) return named;
  if (const auto found = on_path("bitcoind")) return found;
  const auto cache = variable("XDG_CACHE_HOME");
  const auto cached = fs::path(cache.empty() ? variable("HOME") + "/.cache" : cache) / "spv/bitcoind/bin/bitcoind";
  if (is_program(cached)) return cached.string();
  return std::nullopt;
}

Bitcoind::Bitcoind(BitcoindOptions options) : options_(std::move(options)) {
  // Bitcoin Knots refuses what has a lock time of 21 (CAT-21), and now and then its own wallet draws that one. In the
  // file, because on a command line a node that does not know the name would not start.
  std::ofstream(folder_.file("bitcoin.conf")) << "rejectparasites=0\n";
  start();
  if (options_.wallet) rpc("createwallet", kWallet);
}

Bitcoind::~Bitcoind() { stop(); }

std::vector<std::string> Bitcoind::command() const {
  const auto program = binary();
  if (!program) throw std::runtime_error("no bitcoind here");
  std::vector<std::string> out = {*program, "-regtest", "-datadir=" + folder_.path().string(), "-bind=" + address(),
                                  "-rpcport=" + std::to_string(rpc_port_),
                                  "-peerbloomfilters=" + std::string(options_.bloom_filters ? "1" : "0"),
                                  "-listenonion=0", "-dnsseed=0", "-fallbackfee=0.0001", "-keypool=10",
                                  "-rpcservertimeout=600", "-printtoconsole=0",
                                  // Without it a node holds transactions back for seconds.
                                  "-whitelist=noban@127.0.0.1"};
  // The tests of the other sources, by compact filters.
  const char* source = std::getenv("SPV_SOURCE");
  if (source != nullptr && std::string_view(source) == "compact") {
    out.insert(out.end(), {"-blockfilterindex=1", "-peerblockfilters=1"});
  }
  if (std::getenv("SPV_NO_BLOOM") != nullptr) out.push_back("-peerbloomfilters=0");
  out.insert(out.end(), options_.arguments.begin(), options_.arguments.end());
  return out;
}

void Bitcoind::start() {
  const bool new_ports = port_ == 0;
  for (int attempt = 0; attempt < kStartAttempts; ++attempt) {
    if (try_start(new_ports)) return;
    std::this_thread::sleep_for(200ms);
  }
  throw std::runtime_error("bitcoind did not start: " + log_tail());
}

bool Bitcoind::try_start(bool new_ports) {
  if (new_ports) {
    port_ = free_port();
    rpc_port_ = free_port();
  }
  const auto cookie = folder_.path() / "regtest/.cookie";
  fs::remove(cookie);
  process_ = std::make_unique<ChildProcess>(command(), folder_.file("output.txt"));
  const auto answers = [&] {
    if (!fs::exists(cookie)) return false;
    try {
      client_ = std::make_unique<RpcClient>(rpc_port_, content(cookie));
      client_->call("/", "getblockcount", {});
      return true;
    } catch (const RpcError&) {
      return false;  // It warms up.
    }
  };
  bool ready = false;
  poll_until([&] { return (ready = answers()) || !process_->running(); }, kStartTimeout);
  if (!ready) stop();
  return ready;
}

void Bitcoind::stop() {
  client_.reset();
  if (!process_) return;
  process_->signal(SIGTERM);
  process_->wait(kStopTimeout);
  process_.reset();
}

void Bitcoind::restart() {
  stop();
  start();
  if (!options_.wallet) return;
  const auto loaded = rpc("listwallets").as_array();
  if (std::find(loaded.begin(), loaded.end(), boost::json::value(kWallet)) == loaded.end()) rpc("loadwallet", kWallet);
}

std::string Bitcoind::log_tail() const {
  const std::string log = content(folder_.path() / "output.txt") + content(folder_.path() / "regtest/debug.log");
  constexpr std::size_t kTail = 2'000;
  return log.size() > kTail ? log.substr(log.size() - kTail) : log;
}

boost::json::value Bitcoind::call(const std::string& path, std::string_view method, const boost::json::array& params) {
  if (!client_) throw RpcError(0, "the node is stopped");
  // A wallet hears late of what another has sent, and would not spend it yet.
  if (path != "/") client_->call("/", "syncwithvalidationinterfacequeue", {});
  return client_->call(path, method, params);
}

std::vector<std::string> Bitcoind::mine(int count, const std::string& to) {
  const auto hashes = rpc("generatetoaddress", count, to.empty() ? new_address() : to);
  return boost::json::value_to<std::vector<std::string>>(hashes);
}

std::string Bitcoind::generate_block(const std::string& to, const std::vector<std::string>& transactions) {
  return std::string(rpc("generateblock", to, transactions).at("hash").as_string());
}

std::string Bitcoind::new_address(const std::string& type) {
  return std::string(wallet_rpc(kWallet, "getnewaddress", "", type).as_string());
}

std::string Bitcoind::send(const std::string& to, std::int64_t amount_sat) {
  return taken(kWallet, std::string(wallet_rpc(kWallet, "sendtoaddress", to, to_btc(amount_sat)).as_string()));
}

std::string Bitcoind::taken(std::string_view wallet, const std::string& txid) {
  const auto pending = rpc("getrawmempool").as_array();
  if (std::find(pending.begin(), pending.end(), boost::json::value(txid)) != pending.end()) return txid;
  try {
    rpc("sendrawtransaction", wallet_rpc(wallet, "gettransaction", txid).at("hex"));
    return txid;
  } catch (const RpcError& refused) {
    wallet_rpc(wallet, "abandontransaction", txid);
    throw RpcError(refused.code(), std::string("the node does not take what its wallet sends: ") + refused.what());
  }
}

int Bitcoind::height() { return boost::json::value_to<int>(rpc("getblockcount")); }

std::string Bitcoind::best_block() { return std::string(rpc("getbestblockhash").as_string()); }

void Bitcoind::connect_to(const Bitcoind& other) {
  rpc("addnode", other.address(), "add");
  const auto connected = [&] {
    const auto peers = rpc("getpeerinfo");
    for (const auto& peer : peers.as_array()) {
      if (peer.at("addr").as_string() == other.address() && peer.at("version").as_int64() != 0) return true;
    }
    return false;
  };
  if (!poll_until(connected, 60s)) throw std::runtime_error("two nodes did not connect");
}

void Bitcoind::sync_with(Bitcoind& other) {
  if (!poll_until([&] { return best_block() == other.best_block(); }, 60s)) {
    throw std::runtime_error("two nodes did not agree on a best block");
  }
}

std::int64_t to_sat(const boost::json::value& btc) { return std::llround(btc.to_number<double>() * 1e8); }

std::string to_btc(std::int64_t amount_sat) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%lld.%08lld", static_cast<long long>(amount_sat / 100'000'000),
                static_cast<long long>(amount_sat % 100'000'000));
  return text.data();
}

}  // namespace spv::test
