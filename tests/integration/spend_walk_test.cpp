// A wallet of every script type pays, bumps, cancels, keeps payments back, freezes coins and lives through blocks and
// reorganisations, as it happens; after each step it must hold what bitcoind's wallet on the same keys holds.
// 30 walks of 60 steps with SPV_LONG_TESTS=1; each failure names its seed and its steps.
#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "tests/integration/spend_bench.h"
#include "tests/support/long_tests.h"
#include "util/rng.h"

namespace spv::test {
namespace {

namespace json = boost::json;

class SpendWalk {
 public:
  explicit SpendWalk(std::uint64_t seed) : rng_(seed) { bench_.fund(2, 30'000'000); }

  /// One random thing; what it was and how it ended.
  std::string step() {
    static constexpr struct {
      const char* name;
      std::string (SpendWalk::*act)();
      int weight;
    } kActions[]{{"send", &SpendWalk::send, 6},           {"send all", &SpendWalk::send_all, 1},
                 {"bump", &SpendWalk::bump, 3},           {"cancel", &SpendWalk::cancel, 2},
                 {"keep back", &SpendWalk::keep_back, 3}, {"broadcast", &SpendWalk::broadcast, 2},
                 {"abandon", &SpendWalk::abandon, 1},     {"freeze", &SpendWalk::freeze, 2},
                 {"unfreeze", &SpendWalk::unfreeze, 2},   {"receive", &SpendWalk::receive, 3},
                 {"mine", &SpendWalk::mine, 4},           {"reorganise", &SpendWalk::reorganise, 2}};
    int pick = static_cast<int>(rng_.below(31));
    for (const auto& action : kActions) {
      pick -= action.weight;
      if (pick < 0) return std::string(action.name) + ": " + (this->*action.act)();
    }
    return "nothing";
  }

  void compare() {
    bench_.sync();
    auto ours = bench_.keys.by_spv();
    for (const auto& [txid, payment] : kept_) {  // told by history, counted nowhere, and nobody else knows of it
      ours.heights.erase(txid);
      ours.net.erase(txid);
    }
    EXPECT_EQ(ours, bench_.keys.by_bitcoind());
    const auto reserved = reserved_coins();
    const auto utxos = bench_.cli.json({"utxos"});
    for (const auto& coin : utxos.at("utxos").as_array()) {
      const auto name = outpoint_of(coin);
      EXPECT_EQ(coin.at("reserved").as_bool(), reserved.contains(name)) << coin;
      EXPECT_EQ(coin.at("frozen").as_bool(), frozen_.contains(name)) << coin;
    }
  }

 private:
  struct Payment {
    std::string hex;
    std::set<std::string> coins;
  };

  /// How deep the node's wallet on the same keys has a transaction: less than 0 where a block holds another one
  /// instead.
  std::int64_t depth_of(const std::string& txid) {
    return bench_.node.wallet_rpc(SameKeys::kWallet, "gettransaction", txid).at("confirmations").as_int64();
  }
  bool can_be_spent(const std::string& coin) {
    const auto colon = coin.find(':');
    const auto depth = depth_of(coin.substr(0, colon));
    if (depth <= 0) return depth == 0;
    return !bench_.node.rpc("gettxout", coin.substr(0, colon), std::stoi(coin.substr(colon + 1)), false).is_null();
  }
  /// The coins of all payments that may still be in a block, even of those that were replaced: no other may spend them.
  std::set<std::string> reserved_coins() {
    std::set<std::string> out;
    for (const auto& [txid, coins] : sent_) {
      if (depth_of(txid) == 0) out.insert(coins.begin(), coins.end());
    }
    for (const auto& [txid, payment] : kept_) {
      const auto possible = std::ranges::all_of(payment.coins, [&](const auto& coin) { return can_be_spent(coin); });
      if (possible) out.insert(payment.coins.begin(), payment.coins.end());
    }
    return out;
  }
  std::string amount() { return std::to_string(50'000 + rng_.below(20'000'000)) + "sat"; }
  std::string rate() { return std::to_string(1 + rng_.below(20)); }
  std::string somebody() {
    static constexpr const char* kTypes[]{"legacy", "p2sh-segwit", "bech32", "bech32m"};
    const char* type = kTypes[rng_.below(4)];
    return rng_.below(5) == 0 ? bench_.keys.receive_address(type) : bench_.node.new_address(type);
  }
  template <typename Map>
  std::string any_of(const Map& map) {
    if (map.empty()) return {};
    return std::next(map.begin(), static_cast<std::ptrdiff_t>(rng_.below(map.size())))->first;
  }

  /// Nothing that is kept from being spent may be spent.
  std::set<std::string> checked_coins(const json::value& paid) {
    std::set<std::string> coins;
    for (const auto& input : paid.at("inputs").as_array()) coins.insert(outpoint_of(input));
    for (const auto& coin : coins) {
      EXPECT_FALSE(frozen_.contains(coin)) << coin;
      for (const auto& [txid, payment] : kept_) EXPECT_FALSE(payment.coins.contains(coin)) << coin << " by " << txid;
    }
    return coins;
  }
  /// Goes out, or is refused for a reason that people meet; anything else fails the test.
  std::string pay(Words words) {
    const auto result = bench_.run(
        joined(std::move(words), {"--allow-high-fee", "--connect", bench_.node.address(), "--peers", "1", "--json"}));
    if (result.exit_code == 1) return result.err;
    EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
    if (result.exit_code != 0) return "failed";
    const auto paid = json::parse(result.out);
    const auto txid = text_of(paid.at("txid"));
    sent_[txid] = checked_coins(paid);
    EXPECT_TRUE(bench_.in_mempool(txid)) << paid;
    return txid;
  }

  std::string send() { return pay({"send", somebody(), amount(), "--fee-rate", rate()}); }
  std::string send_all() { return pay({"send", bench_.node.new_address(), "all", "--fee-rate", rate()}); }
  std::string bump() { return replace("bump"); }
  std::string cancel() { return replace("cancel"); }
  std::string replace(const char* how) {
    const auto history = bench_.cli.json({"history"});
    std::map<std::string, int> pending;
    for (const auto& tx : history.at("transactions").as_array()) {
      const auto txid = text_of(tx.at("txid"));
      if (tx.at("status") == "unconfirmed" && tx.at("net_sat").as_int64() < 0 && !kept_.contains(txid)) pending[txid];
    }
    const auto txid = any_of(pending);
    return txid.empty() ? "none" : txid + " by " + pay({how, txid, "--fee-rate", std::to_string(25 + rng_.below(50))});
  }
  std::string keep_back() {
    const auto result = bench_.run({"send", bench_.node.new_address(), amount(), "--fee-rate", rate(),
                                    "--allow-high-fee", "--no-broadcast", "--json"});
    if (result.exit_code == 1) return result.err;
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const auto made = json::parse(result.out);
    const auto txid = text_of(made.at("txid"));
    EXPECT_FALSE(bench_.in_mempool(txid));
    kept_[txid] = {text_of(made.at("hex")), checked_coins(made)};
    return txid;
  }
  std::string broadcast() {
    const auto txid = any_of(kept_);
    if (txid.empty()) return "none";
    const auto result =
        bench_.run({"broadcast", kept_.at(txid).hex, "--connect", bench_.node.address(), "--peers", "1", "--json"});
    const auto& coins = kept_.at(txid).coins;
    const auto is_held = [&](const std::string& coin) {
      const auto parent = coin.substr(0, coin.find(':'));
      return frozen_.contains(coin) || !can_be_spent(coin) || (depth_of(parent) == 0 && !bench_.in_mempool(parent));
    };
    if (std::ranges::any_of(coins, is_held)) {
      EXPECT_EQ(result.exit_code, 1) << "a coin was frozen meanwhile, or its transaction replaced: " << result.out;
      return txid + " refused";
    }
    EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
    EXPECT_TRUE(bench_.in_mempool(txid));
    sent_[txid] = coins;
    kept_.erase(txid);
    return txid;
  }
  std::string abandon() {
    const auto txid = any_of(kept_);
    if (txid.empty()) return "none";
    bench_.cli.json({"abandon", txid});
    kept_.erase(txid);
    return txid;
  }
  std::string freeze() {
    const auto coin = any_of(bench_.keys.by_spv().coins);
    if (coin.empty()) return "none";
    bench_.cli.json({"freeze", coin});
    frozen_[coin];
    return coin;
  }
  std::string unfreeze() {
    const auto coin = any_of(frozen_);
    if (coin.empty() || !bench_.keys.by_spv().coins.contains(coin)) return "none";
    bench_.cli.json({"unfreeze", coin});
    frozen_.erase(coin);
    return coin;
  }
  std::string receive() {
    return bench_.node.send(bench_.keys.receive_address(), static_cast<std::int64_t>(100'000 + rng_.below(30'000'000)));
  }
  std::string mine() {
    bench_.mine();
    return std::to_string(bench_.node.height());
  }
  std::string reorganise() {
    const int depth = static_cast<int>(1 + rng_.below(3));
    const auto known = transactions_since(bench_.node.height() - depth + 1);
    const auto fork = bench_.node.rpc("getblockhash", bench_.node.height() - depth + 1);
    bench_.node.invalidate_block(text_of(fork));
    if (rng_.below(2) == 0) bench_.node.generate_block(bench_.node.new_address(), {});
    bench_.mine(depth + 1);
    // What a shorter chain made the node forget, by lock times that lay ahead then.
    for (int pass = 0; pass < 3; ++pass) {
      for (const auto& raw : known) {
        try {
          bench_.node.rpc("sendrawtransaction", raw);
        } catch (const RpcError&) {  // has it, or its parent comes later
        }
      }
    }
    return "depth " + std::to_string(depth);
  }
  std::vector<json::value> transactions_since(int height) {
    std::vector<json::value> out;
    for (; height <= bench_.node.height(); ++height) {
      const auto block = bench_.node.rpc("getblock", bench_.node.rpc("getblockhash", height), 2);
      const auto& list = block.at("tx").as_array();
      for (std::size_t i = 1; i < list.size(); ++i) out.push_back(list[i].at("hex"));
    }
    const auto pool = bench_.node.rpc("getrawmempool");
    for (const auto& txid : pool.as_array()) out.push_back(bench_.node.rpc("getrawtransaction", txid));
    return out;
  }

  util::Rng rng_;
  SpendBench bench_{"all"};
  std::map<std::string, Payment> kept_;  // stored, told nobody
  std::map<std::string, std::set<std::string>> sent_;
  std::map<std::string, int> frozen_;
};

class RandomSpending : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomSpending, EqualsTheNodesWalletAtEveryStep) {
  SPV_BITCOIND_OR_SKIP();
  SpendWalk walk(GetParam());
  std::string story;
  for (std::uint64_t n = 1; n <= repeats(15, 60); ++n) {
    story += std::to_string(n) + " " + walk.step() + "\n";
    walk.compare();
    ASSERT_FALSE(HasFailure()) << "seed " << GetParam() << ":\n" << story;
  }
}
INSTANTIATE_TEST_SUITE_P(Seed, RandomSpending, testing::Range<std::uint64_t>(1, repeats(1, 30) + 1),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace spv::test
