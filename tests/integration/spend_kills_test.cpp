// kill -9 of `spv send` at any moment: afterwards the payment is stored and goes out with the next sync, or there is
// none and no coin is reserved. 40 kills in every run, 400 with SPV_LONG_TESTS=1.
#include <chrono>
#include <csignal>
#include <iostream>
#include <map>

#include <gtest/gtest.h>

#include "tests/integration/spend_bench.h"
#include "tests/support/long_tests.h"
#include "util/rng.h"

namespace spv::test {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kPaid = 100'000;

class SpendKills {
 public:
  SpendKills() { bench_.fund(8, 20'000'000); }

  /// Sends and is killed after `patience`, unless it ended before; true if the payment is stored then.
  bool send_and_die(Clock::duration patience) {
    const auto before = bench_.keys.by_spv();
    const std::string to = bench_.node.new_address();
    {
      ChildProcess send({SpvCli::binary(), "--regtest", "--datadir", bench_.cli.folder().string(), "send", to,
                         std::to_string(kPaid) + "sat", "--fee-rate", "1", "--yes", "--connect", bench_.node.address()},
                        bench_.node.folder() / "send.txt");
      send.wait(std::chrono::duration_cast<std::chrono::milliseconds>(patience));
      send.signal(SIGKILL);
      send.wait(std::chrono::seconds(10));
    }
    const auto after = bench_.keys.by_spv();
    const auto made = after.heights.size() - before.heights.size();
    EXPECT_LE(made, 1U);
    if (made == 0) {
      EXPECT_EQ(after, before);
    } else {
      EXPECT_EQ(after.total, before.total - kPaid - fee_of(after, before));
    }
    expect_nothing_reserved();
    stored_[to] = made == 1;
    return made == 1;
  }
  /// The next sync tells the node what is stored; then both wallets hold the same, and again with a block.
  void recover() {
    bench_.keys.sync({"--mempool-wait", "0"});  // tells what no peer took, though nobody is asked what he has
    for (const auto& [address, is_stored] : stored_) {
      const auto received = to_sat(bench_.node.wallet_rpc(Bitcoind::kWallet, "getreceivedbyaddress", address, 0));
      EXPECT_EQ(received, is_stored ? kPaid : 0) << "the node has it if we have stored it, and only then";
    }
    EXPECT_EQ(bench_.keys.by_spv(), bench_.keys.by_bitcoind());
    bench_.mine();
    bench_.sync();
    EXPECT_EQ(bench_.keys.by_spv(), bench_.keys.by_bitcoind());
  }

 private:
  static std::int64_t fee_of(const Holdings& after, const Holdings& before) {
    for (const auto& [txid, net] : after.net) {
      if (!before.net.contains(txid)) return -net - kPaid;
    }
    return 0;
  }
  void expect_nothing_reserved() {
    const auto utxos = bench_.cli.json({"utxos"});
    for (const auto& coin : utxos.at("utxos").as_array()) EXPECT_FALSE(coin.at("reserved").as_bool()) << coin;
  }

  SpendBench bench_{"wpkh"};
  std::map<std::string, bool> stored_;  // by the address that is paid
};

TEST(SpendKill, LeavesAPaymentOrNone) {
  SPV_BITCOIND_OR_SKIP();
  SpendKills kills;
  util::Rng rng(1);
  const std::uint64_t count = repeats(40, 400);
  std::uint64_t stored = 0;
  // Most kills fall about the moment of storing: earlier after one that came too late for it, later after the others.
  Clock::duration about = std::chrono::milliseconds(100);
  for (std::uint64_t i = 1; i <= count && !testing::Test::HasFailure(); ++i) {
    SCOPED_TRACE("kill " + std::to_string(i));
    const bool anywhere = i % 8 == 0;
    const bool is_stored =
        kills.send_and_die(anywhere ? std::chrono::milliseconds(rng.below(3'000)) : about * (90 + rng.below(20)) / 100);
    if (is_stored) ++stored;
    if (!anywhere) about = is_stored ? about * 9 / 10 : about * 11 / 10;
    if (i % 8 == 0) kills.recover();
  }
  EXPECT_LT(stored, count);
  EXPECT_GT(stored, 0U);
  std::cout << stored << " of " << count << " were stored\n";
}

}  // namespace
}  // namespace spv::test
