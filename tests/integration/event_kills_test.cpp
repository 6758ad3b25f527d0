// A backend is killed again and again while payments, blocks and reorganisations come: what it prints, by the numbers
// of the event log, tells each state of each payment once, each block of the chain's story once, and of each wallet
// once that it was added and that it is synced. More rounds with SPV_LONG_TESTS=1.
#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <map>
#include <sstream>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "tests/integration/chain_story.h"
#include "tests/support/bitcoind.h"
#include "tests/support/long_tests.h"
#include "tests/support/process.h"
#include "tests/support/temp_dir.h"
#include "util/rng.h"

namespace spv::test {
namespace {

std::string wallet_name(std::size_t i) { return "w" + std::to_string(i); }

namespace json = boost::json;
using namespace std::chrono_literals;

/// A run of the backend, until it is killed or told to end.
class Backend {
 public:
  Backend(const TempDir& folder, const Bitcoind& node, int run, const std::vector<std::string>& addresses)
      : output_(folder.file("out" + std::to_string(run))), fifo_(folder.file("in" + std::to_string(run))) {
    ::mkfifo(fifo_.c_str(), 0600);
    input_ = ::open(fifo_.c_str(), O_RDWR | O_CLOEXEC);
    for (std::size_t i = 0; i < addresses.size(); ++i) say(wallet_name(i) + " addr(" + addresses[i] + ")");
    child_.emplace(std::vector<std::string>{"sh", "-c", R"(exec "$0" "$1" regtest "$2" < "$3")", SPV_EVENT_BACKEND,
                                            folder.file("data"), node.address(), fifo_},
                   output_);
  }
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  ~Backend() { ::close(input_); }

  void say(const std::string& line) {
    const std::string text = line + "\n";
    EXPECT_EQ(::write(input_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void kill() {
    child_->signal(SIGKILL);
    EXPECT_EQ(child_->wait(30s), 128 + SIGKILL) << "it must not have ended by itself: " << text();
  }
  std::optional<int> end() {
    say("end");
    return child_->wait(60s);
  }
  [[nodiscard]] std::string text() const {
    std::ostringstream all;
    all << std::ifstream(output_).rdbuf();
    return all.str();
  }

 private:
  std::string output_;
  std::string fifo_;
  int input_ = -1;
  std::optional<ChildProcess> child_;
};

/// By their numbers; what was printed twice must be the same.
using Log = std::map<std::int64_t, json::object>;

void read_into(Log& log, const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (lines.eof() || line.rfind("{", 0) != 0) continue;  // cut off by the kill, or a message
    const auto event = json::parse(line).as_object();
    if (!event.contains("seq")) continue;
    const auto [place, is_new] = log.emplace(event.at("seq").as_int64(), event);
    EXPECT_TRUE(is_new || place->second == event) << line;
  }
}

std::string text_of(const json::object& event, const char* field) { return std::string(event.at(field).as_string()); }

/// What the node does to the wallets meanwhile.
class World {
 public:
  explicit World(Bitcoind& node) : node_(node) {
    node_.mine(110);
    node_.rpc("createwallet", "payees");  // of its own: the miner would spend what it pays itself
    for (int i = 0; i < 12; ++i) {
      addresses_.emplace_back(node_.wallet_rpc("payees", "getnewaddress", "", "bech32").as_string());
    }
  }
  [[nodiscard]] const std::vector<std::string>& addresses() const { return addresses_; }
  [[nodiscard]] const std::map<std::string, std::vector<std::string>>& paid() const { return paid_; }

  void act(util::Rng& rng) {
    const auto what = rng.below(6);
    if (what <= 2) {
      const auto wallet = rng.below(addresses_.size());
      paid_[node_.send(addresses_[wallet], 10'000)].push_back(wallet_name(wallet));
    } else if (what == 3) {
      pay_all();
    } else if (what == 4) {
      node_.mine(1);
    } else {
      node_.invalidate_block(node_.best_block());
      node_.mine(2);
    }
  }
  /// A reorganisation may have made a coinbase immature that a payment spends: it is sent again.
  void confirm_all() {
    node_.mine(3);
    for (const auto& [txid, wallets] : paid_) {
      const auto sent = node_.wallet_rpc(Bitcoind::kWallet, "gettransaction", txid);
      if (sent.at("confirmations").as_int64() > 0) continue;
      try {
        node_.rpc("sendrawtransaction", sent.at("hex"));
      } catch (const RpcError&) {  // it is in the mempool
      }
    }
    node_.mine(1);
    for (const auto& [txid, wallets] : paid_) {
      const auto sent = node_.wallet_rpc(Bitcoind::kWallet, "gettransaction", txid);
      EXPECT_GT(sent.at("confirmations").as_int64(), 0) << txid;
    }
  }

 private:
  void pay_all() {
    json::object amounts;
    for (const auto& address : addresses_) amounts[address] = 0.0001;
    auto& wallets = paid_[std::string(node_.wallet_rpc(Bitcoind::kWallet, "sendmany", "", amounts).as_string())];
    for (std::size_t i = 0; i < addresses_.size(); ++i) wallets.push_back(wallet_name(i));
  }

  Bitcoind& node_;
  std::vector<std::string> addresses_;
  std::map<std::string, std::vector<std::string>> paid_;
};

/// The last state of each payment of each wallet, in the order of the numbers; no state may follow itself, except that
/// a reorganisation moves a payment from block to block.
std::map<std::pair<std::string, std::string>, std::string> final_states(const Log& log) {
  std::map<std::pair<std::string, std::string>, std::string> last;
  std::int64_t expected = 1;
  for (const auto& [seq, event] : log) {
    EXPECT_EQ(seq, expected++) << "a number is missing";
    if (event.at("event") != "payment") continue;
    const auto state = text_of(event, "state");
    const auto [place, is_new] = last.emplace(std::pair(text_of(event, "wallet"), text_of(event, "txid")), state);
    if (is_new) continue;
    EXPECT_TRUE(place->second != state || state == "confirmed")
        << seq << ' ' << place->first.second << " is " << state << " twice";
    place->second = state;
  }
  return last;
}

/// How often a wallet was told as added, and as synced.
int times(const Log& log, const std::string& wallet, const std::string& state) {
  return static_cast<int>(std::ranges::count_if(log, [&](const auto& each) {
    const auto& event = each.second;
    return event.at("event") == "wallet" && text_of(event, "wallet") == wallet && text_of(event, "state") == state;
  }));
}

std::string last_tip(const Log& log) {
  std::string tip;
  for (const auto& [seq, event] : log) {
    if (event.at("event") == "tip") tip = text_of(event, "hash");
  }
  return tip;
}

void expect_one_story(const Log& log, Bitcoind& node) {
  ChainStory story(node);
  for (const auto& [seq, event] : log) {
    if (event.at("event") == "tip") story.hear_tip(text_of(event, "hash"), event.at("height").as_int64());
    if (event.at("event") == "reorg") {
      story.hear_reorg(text_of(event, "from"), text_of(event, "to"), event.at("fork_height").as_int64());
    }
  }
}

TEST(EventKills, EachStateOfEachPaymentIsToldOnce) {
  SPV_BITCOIND_OR_SKIP();
  Bitcoind node({.arguments = {"-whitelist=noban@127.0.0.1"}});
  World world(node);
  const TempDir folder;
  util::Rng rng(11);
  Log log;
  const int rounds = static_cast<int>(repeats(8, 100));
  for (int round = 0; round < rounds; ++round) {
    Backend backend(folder, node, round, world.addresses());
    const auto acts = 1 + rng.below(5);
    for (std::uint64_t i = 0; i < acts; ++i) {
      world.act(rng);
      std::this_thread::sleep_for(std::chrono::milliseconds(rng.below(150)));  // the moment of the kill is the test
    }
    backend.kill();
    read_into(log, backend.text());
  }
  world.confirm_all();
  std::size_t wanted = 0;
  for (const auto& [txid, wallets] : world.paid()) wanted += wallets.size();
  Backend last(folder, node, rounds, world.addresses());
  const auto all_synced = [&](const Log& all) {
    for (std::size_t i = 0; i < world.addresses().size(); ++i) {
      if (times(all, wallet_name(i), "synced") == 0) return false;
    }
    return true;
  };
  const auto is_complete = [&] {
    Log all = log;
    read_into(all, last.text());
    const auto states = final_states(all);
    return states.size() == wanted && last_tip(all) == node.best_block() && all_synced(all) &&
           std::ranges::all_of(states, [](const auto& each) { return each.second == "confirmed"; });
  };
  const auto end = std::chrono::steady_clock::now() + 90s;
  while (!is_complete() && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(200ms);
  EXPECT_EQ(last.end(), 0) << last.text();
  read_into(log, last.text());
  const auto states = final_states(log);
  for (const auto& [txid, wallets] : world.paid()) {
    for (const auto& wallet : wallets) {
      ASSERT_TRUE(states.contains({wallet, txid})) << wallet << ' ' << txid << " was never told";
      EXPECT_EQ(states.at({wallet, txid}), "confirmed");
    }
  }
  EXPECT_EQ(states.size(), wanted) << "nothing else is told";
  for (std::size_t i = 0; i < world.addresses().size(); ++i) {
    const std::string wallet = wallet_name(i);
    EXPECT_EQ(times(log, wallet, "added"), 1) << wallet;
    EXPECT_EQ(times(log, wallet, "synced"), 1) << wallet;
  }
  EXPECT_EQ(last_tip(log), node.best_block());
  expect_one_story(log, node);
}

}  // namespace
}  // namespace spv::test
