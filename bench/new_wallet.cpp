// How long a new wallet takes beside 10,000 others, on a chain of 2,000 blocks of a real bitcoind: until it is followed
// and its history known; and how long the others wait meanwhile.
//
// usage: new_wallet [files|database]
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <spv/client.h>
#include <string>
#include <thread>
#include <vector>

#include "bench/goal_table.h"
#include "bench/many_stored.h"
#include "bench/resources.h"
#include "tests/support/bitcoind.h"
#include "wallet/address.h"

namespace {

using namespace spv;  // NOLINT(google-build-using-namespace): a program of one file
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr int kBlocks = 2'000;
constexpr std::size_t kOthers = 10'000;
constexpr std::uint32_t kPayments = 20;
constexpr std::size_t kNewWallets = 5;
constexpr std::int64_t kAmount = 10'000;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "error: %s\n", what.c_str());
  std::exit(1);
}

/// The time that it takes until this is so.
double wait_for(const std::string& what, const std::function<bool()>& is_so) {
  const auto start = Clock::now();
  while (!is_so()) {
    if (seconds_since(start) > 600) fail(what + " does not happen");
    std::this_thread::sleep_for(1ms);
  }
  return seconds_since(start);
}

std::string address_of(util::ByteView script) { return *wallet::address_of_script(script, bench::regtest()); }

// --- the node -------------------------------------------------------------------------------------------------------

/// Wallets of numbers that the others do not have.
std::string new_descriptors(std::size_t number) { return bench::sample_descriptors(1'000'000 + number); }

/// Each new wallet is paid a few times, all along the chain.
void make_chain(test::Bitcoind& node) {
  node.mine(101);
  util::Rng rng(std::uint64_t{9});
  const std::string nobody = address_of(bench::sample_script(rng));  // the node's wallet need not write each block down
  for (std::uint32_t payment = 0; payment < kPayments; ++payment) {
    boost::json::object amounts;
    for (std::size_t number = 0; number < kNewWallets; ++number) {
      const auto chains = wallet::Descriptor::parse(new_descriptors(number), bench::regtest());
      amounts[address_of(*chains->front().script_at(payment))] = test::to_btc(kAmount);
    }
    node.wallet_rpc(test::Bitcoind::kWallet, "sendmany", "", amounts);
    node.mine((kBlocks - 101) / static_cast<int>(kPayments), nobody);
  }
  node.mine(kBlocks - node.height(), nobody);
}

// --- the others -----------------------------------------------------------------------------------------------------

/// Pays one of the others again and again, and asks for a balance all the time: the longest that each took.
class Others {
 public:
  Others(Client& client, test::Bitcoind& node, const std::vector<util::Bytes>& scripts)
      : client_(client), node_(node), scripts_(scripts), pays_([this] { pay(); }), asks_([this] { ask(); }) {}
  ~Others() {
    stop_ = true;
    pays_.join();
    asks_.join();
  }
  Others(const Others&) = delete;
  Others& operator=(const Others&) = delete;

  struct Waits {
    double payment = 0;
    double balance = 0;
    int payments = 0;
  };
  /// Since the last time.
  Waits take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(waits_, {});
  }

 private:
  void pay() {
    std::int64_t last = 0;
    for (std::size_t number = 0; !stop_; number = (number + 7) % kOthers) {
      const auto txid = node_.send(address_of(scripts_[number]), kAmount);
      const auto sent = Clock::now();
      for (bool told = false; !told;) {
        const auto events = client_.wait_events(last, 100, 60s);
        if (!events || events->empty()) fail("a payment is not told");
        last = events->back().seq;
        told = std::ranges::any_of(*events, [&](const auto& each) { return each.transaction.txid == txid; });
      }
      const std::lock_guard lock(mutex_);
      waits_.payment = std::max(waits_.payment, seconds_since(sent));
      ++waits_.payments;
    }
  }
  void ask() {
    for (std::size_t number = 0; !stop_; number = (number + 1) % kOthers) {
      const auto asked = Clock::now();
      if (!client_.balance(bench::sample_name(number))) fail("a wallet has no balance");
      const double took = seconds_since(asked);
      {
        const std::lock_guard lock(mutex_);
        waits_.balance = std::max(waits_.balance, took);
      }
      std::this_thread::sleep_for(1ms);
    }
  }

  Client& client_;
  test::Bitcoind& node_;
  const std::vector<util::Bytes>& scripts_;
  std::mutex mutex_;
  Waits waits_;
  std::atomic<bool> stop_ = false;
  std::thread pays_;
  std::thread asks_;
};

// --- what is measured -----------------------------------------------------------------------------------------------

Client start_client(const bench::Place& place, const test::Bitcoind& node) {
  Options options;
  options.data_dir = place.folder();
  options.database = place.url();
  options.network = NetworkId::Regtest;
  options.peers = {node.address()};
  options.whole_blocks = true;
  options.mempool_wait = 200ms;
  options.follow_all = true;
  auto client = Client::open(options);
  if (!client) fail(client.error().message);
  if (const auto started = client->start(); !started) fail(started.error().message);
  return std::move(*client);
}

bool is_followed(const Client& client, const std::string& name, int height) {
  const auto status = client.status(name);
  return status && status->scanned_to >= height;
}

/// Until it is followed and all of its payments are known.
double add_wallet(Client& client, std::size_t number) {
  const std::string name = "new" + std::to_string(number);
  WatchOptions watch;
  watch.descriptors = {new_descriptors(number)};
  watch.gap_limit = bench::kScriptsPerChain / 10;
  watch.birthday_height = 0;
  const auto start = Clock::now();
  if (const auto made = client.watch_wallet(name, watch); !made) fail(made.error().message);
  wait_for("a new wallet is followed", [&] { return is_followed(client, name, kBlocks); });
  const double took = seconds_since(start);
  if (client.history(name)->size() != kPayments) fail("a new wallet does not know its history");
  return took;
}

void measure(bench::GoalTable& table, bench::Place::Kind kind, test::Bitcoind& node) {
  const bench::Place place(kind);
  const auto scripts = place.make_wallets(kOthers, kBlocks);
  Client client = start_client(place, node);
  const double ready = wait_for("the others are followed", [&] {
    return is_followed(client, bench::sample_name(0), kBlocks) &&
           is_followed(client, bench::sample_name(kOthers - 1), kBlocks);
  });
  table.row(place.name() + ": start with 10,000 wallets, until they are followed", "s", {}, "", ready, 2);
  Others others(client, node, scripts);
  wait_for("payments", [&, count = 0]() mutable { return (count += others.take().payments) >= 5; });
  std::this_thread::sleep_for(3s);
  const auto usual = others.take();
  std::vector<double> seconds;
  for (std::size_t number = 0; number < kNewWallets; ++number) seconds.push_back(add_wallet(client, number));
  std::this_thread::sleep_for(2s);  // they join the others
  const auto meanwhile = others.take();
  table.row("  a new wallet, until it is followed and its history known", "s", 2, "restart", bench::median(seconds), 2);
  table.row("    the slowest of five", "s", {}, "", *std::ranges::max_element(seconds), 2);
  table.row("  longest until a payment to one of the others is told, as usual", "s", {}, "", usual.payment, 2);
  table.row("    meanwhile", "s", 1, "20 s (50)", meanwhile.payment, 2);
  table.row("  longest that the balance of one of the others takes, as usual", "s", {}, "", usual.balance, 2);
  table.row("    meanwhile", "s", 1, "", meanwhile.balance, 2);
}

}  // namespace

int main(int argc, char** argv) {
  const auto places = bench::places_named(argc, argv);
  if (places.empty()) return 2;
  bench::allow_many_files();
  test::Bitcoind node;
  make_chain(node);
  bench::GoalTable table("a new wallet beside 10,000 others");
  for (const auto kind : places) measure(table, kind, node);
  return table.exit_code();
}
