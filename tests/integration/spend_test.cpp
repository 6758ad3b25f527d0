// Payments by spv of every script type, judged by a real node: it takes them at the fee we say, and bitcoind's wallet
// on the same keys then holds what ours holds.
#include <cmath>

#include <gmock/gmock.h>

#include "tests/integration/spend_bench.h"

namespace spv::test {
namespace {

using testing::HasSubstr;

constexpr const char* kRates[]{"1", "2.5", "30"};

class Spend : public testing::TestWithParam<const char*> {};

/// The node takes it, at exactly this fee and at the rate that was asked for; nothing is paid for room unused.
void expect_fair(SpendBench& bench, const boost::json::value& paid, double rate, std::int64_t given_up = 0) {
  const auto verdict = bench.verdict(paid.at("hex"));
  ASSERT_TRUE(verdict.at("allowed").as_bool()) << verdict << paid;
  EXPECT_EQ(verdict.at("txid"), paid.at("txid"));
  const auto fee = paid.at("fee_sat").as_int64();
  EXPECT_EQ(to_sat(verdict.at("fees").at("base")), fee);
  const auto size = verdict.at("vsize").to_number<double>();
  EXPECT_GE(static_cast<double>(fee), rate * size) << paid;
  EXPECT_LE(static_cast<double>(fee - given_up), std::ceil(rate * size * 1.01)) << verdict << paid;
  EXPECT_NEAR(paid.at("fee_rate").to_number<double>(), static_cast<double>(fee) / size, 0.01 * rate);
}

std::int64_t amount_paid(const boost::json::value& paid) {
  std::int64_t sum = 0;
  for (const auto& output : paid.at("outputs").as_array()) {
    if (!output.at("change").as_bool()) sum += output.at("amount_sat").as_int64();
  }
  return sum;
}

TEST_P(Spend, IsTakenByTheNodeAtTheFeeWeSay) {
  SPV_BITCOIND_OR_SKIP();
  auto& bench = SpendBench::shared(GetParam());
  bench.fund(3, 20'000'000);
  const std::string to = bench.node.new_address();
  for (const char* text : kRates) {
    SCOPED_TRACE(text);
    const double rate = std::stod(text);
    expect_fair(bench, bench.dry_run({"send", to, "0.001", "--fee-rate", text}), rate);
    expect_fair(bench, bench.dry_run({"send", to, "0.45", "--fee-rate", text}), rate);
    const auto all = bench.dry_run({"send", to, "all", "--fee-rate", text});
    expect_fair(bench, all, rate);
    EXPECT_EQ(all.at("outputs").as_array().size(), 1U);
    // To the satoshi, and a little less, which is not worth an output.
    const auto coin = outpoint_of(all.at("inputs").at(0));
    const auto most = amount_paid(bench.dry_run({"send", to, "all", "--coin", coin, "--fee-rate", text}));
    for (const std::int64_t less : {0, 1, 100}) {
      const auto exact =
          bench.dry_run({"send", to, std::to_string(most - less) + "sat", "--coin", coin, "--fee-rate", text});
      EXPECT_EQ(exact.at("outputs").as_array().size(), 1U);
      expect_fair(bench, exact, rate, less);
    }
    const auto over = bench.run(
        {"send", to, std::to_string(most + 1) + "sat", "--coin", coin, "--fee-rate", text, "--dry-run", "--json"});
    EXPECT_EQ(over.exit_code, 1) << over.out;
    EXPECT_THAT(over.err, HasSubstr("insufficient-funds"));
  }
}

TEST_P(Spend, LeavesWhatTheNodesWalletHas) {
  SPV_BITCOIND_OR_SKIP();
  auto& bench = SpendBench::shared(GetParam());
  bench.fund(3, 20'000'000);
  int turn = 0;
  for (const auto& amount : {"0.35", "all"}) {
    SCOPED_TRACE(amount);
    const char* const rate = kRates[turn + 1];
    const auto before = bench.keys.by_spv().total;
    const auto paid = bench.pay({"send", bench.node.new_address(), amount, "--fee-rate", rate, "--allow-high-fee"});
    EXPECT_TRUE(bench.in_mempool(text_of(paid.at("txid"))));
    EXPECT_EQ(bench.keys.by_spv().total, before - amount_paid(paid) - paid.at("fee_sat").as_int64());
    EXPECT_EQ(bench.keys.by_spv(), bench.keys.by_bitcoind()) << "in the mempool";
    ++turn;
    bench.mine();
    bench.sync();
    EXPECT_EQ(bench.keys.by_spv(), bench.keys.by_bitcoind()) << "synced";
  }
  EXPECT_EQ(bench.keys.by_spv().total, 0);
}

INSTANTIATE_TEST_SUITE_P(Of, Spend, testing::Values("pkh", "sh-wpkh", "wpkh", "tr", "all"), script_name);

TEST(SpendRefusal, OfAWatchOnlyWallet) {
  SPV_BITCOIND_OR_SKIP();
  auto& bench = SpendBench::shared("wpkh");
  bench.fund(1, 20'000'000);
  const auto waiting = bench.node.rpc("getmempoolinfo").at("size");
  const auto list = bench.cli.json({"descriptors"});
  Words watch{"watch", "-w", "eyes"};
  for (const auto& each : list.as_array()) watch = joined(watch, {"--descriptor", text_of(each.at("desc"))});
  bench.cli.json(watch);
  ASSERT_EQ(bench.run({"sync", "-w", "eyes", "--connect", bench.node.address(), "--mempool-wait", "0"}).exit_code, 0);
  const auto before = bench.cli.json({"utxos", "-w", "eyes"});
  ASSERT_EQ(before, bench.cli.json({"utxos"}));
  for (const Words& more : {Words{"--yes"}, Words{"--dry-run"}, Words{"--no-broadcast", "--yes"}}) {
    const auto refused = bench.run(joined({"send", "-w", "eyes", bench.node.new_address(), "0.01"}, more));
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_THAT(refused.err, HasSubstr("watch-only"));
  }
  EXPECT_EQ(bench.cli.json({"utxos", "-w", "eyes"}), before);
  EXPECT_EQ(bench.node.rpc("getmempoolinfo").at("size"), waiting);
}

TEST(SpendRefusal, WhileTheWalletIsFollowed) {
  SPV_BITCOIND_OR_SKIP();
  auto& bench = SpendBench::shared("wpkh");
  bench.fund(2, 20'000'000);
  bench.mine();
  bench.sync();
  const auto before = bench.cli.json({"utxos"});
  const std::string log = bench.node.folder() / "follow.txt";
  {
    ChildProcess follow({SpvCli::binary(), "--regtest", "--datadir", bench.cli.folder().string(), "sync", "--follow",
                         "--connect", bench.node.address()},
                        log);
    const auto connected = [&] { return !bench.node.rpc("getpeerinfo").as_array().empty(); };
    for (int i = 0; i < 500 && !connected(); ++i) follow.wait(std::chrono::milliseconds(20));
    ASSERT_TRUE(connected());
    for (const Words& more : {Words{"--yes"}, Words{"--no-broadcast", "--yes"}}) {
      const auto refused =
          bench.run(joined({"send", bench.node.new_address(), "0.01", "--connect", bench.node.address()}, more));
      EXPECT_EQ(refused.exit_code, 4) << refused.out << refused.err;
    }
    EXPECT_EQ(bench.node.rpc("getmempoolinfo").at("size"), 0);
    follow.signal(SIGINT);
    EXPECT_EQ(follow.wait(std::chrono::seconds(30)), 0);
  }
  EXPECT_EQ(bench.cli.json({"utxos"}), before);
  EXPECT_EQ(bench.keys.by_spv(), bench.keys.by_bitcoind());
  bench.pay({"send", bench.node.new_address(), "0.01"});
}

}  // namespace
}  // namespace spv::test
