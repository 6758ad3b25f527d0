// A wallet with accounts of every script type lives through random payments, spends, replacements, blocks and
// reorganisations; after each step it is synced and must hold what bitcoind's own wallet on the same keys holds.
// 30 walks of 60 steps with SPV_LONG_TESTS=1; each failure names its seed.
#include <algorithm>

#include <gtest/gtest.h>

#include "tests/integration/same_keys.h"
#include "tests/support/long_tests.h"
#include "util/rng.h"

namespace spv::test {
namespace {

constexpr const char* kTypes[]{"legacy", "p2sh-segwit", "bech32", "bech32m"};

class Walk {
 public:
  explicit Walk(std::uint64_t seed) : rng_(seed), keys_(node_, cli_, "all") {
    node_.mine(105);
    for (const char* type : kTypes) node_.send(keys_.receive_address(type), 100'000'000);
    node_.mine(1);
  }

  /// One random thing; its name.
  std::string step() {
    static constexpr struct {
      const char* name;
      void (Walk::*act)();
      int weight;
    } kActions[]{{"pay", &Walk::pay, 5},
                 {"pay many", &Walk::pay_many, 1},
                 {"spend", &Walk::spend, 4},
                 {"spend unsafe", &Walk::spend_unsafe, 1},
                 {"spend all", &Walk::spend_all, 1},
                 {"pay myself", &Walk::pay_myself, 1},
                 {"replace a spend", &Walk::replace_spend, 2},
                 {"replace a payment", &Walk::replace_payment, 2},
                 {"mine", &Walk::mine, 4},
                 {"mine for myself", &Walk::mine_to_myself, 1},
                 {"mine without transactions", &Walk::mine_empty, 1},
                 {"reorganise", &Walk::reorganise, 2}};
    int total = 0;
    for (const auto& action : kActions) total += action.weight;
    auto pick = static_cast<int>(rng_.below(static_cast<std::uint64_t>(total)));
    for (const auto& action : kActions) {
      pick -= action.weight;
      if (pick >= 0) continue;
      try {
        (this->*action.act)();
        return action.name;
      } catch (const RpcError& error) {  // no funds, nothing to replace: as it happens to people
        return std::string(action.name) + " (" + error.what() + ")";
      }
    }
    return {};
  }

  void sync() {
    // Where the mempool holds something of ours, its answer comes and ends the wait; else none does.
    const bool pending = !node_.rpc("getrawmempool").as_array().empty();
    const auto heights = pending ? by_bitcoind().heights : decltype(Holdings::heights){};
    const bool ours = std::ranges::any_of(heights, [](const auto& item) { return item.second == -1; });
    keys_.sync({"--mempool-wait", ours ? "30" : pending ? "3" : "0"});
  }
  Holdings by_spv() { return keys_.by_spv(); }
  Holdings by_bitcoind() { return keys_.by_bitcoind(); }

 private:
  std::string own_address() {
    const auto* type = kTypes[rng_.below(4)];
    return rng_.below(4) == 0 ? keys_.change_address(type) : keys_.receive_address(type);
  }
  std::int64_t amount() { return static_cast<std::int64_t>(100'000 + rng_.below(50'000'000)); }

  void pay() { node_.send(own_address(), amount()); }
  void pay_many() {
    boost::json::object outputs;
    for (int i = 0; i < 4; ++i) outputs[own_address()] = to_btc(amount());
    node_.wallet_rpc(Bitcoind::kWallet, "sendmany", "", outputs);
  }
  void spend() { keys_.spend(node_.new_address(kTypes[rng_.below(4)]), amount()); }
  void spend_unsafe() { keys_.spend_unsafe(node_.new_address(), amount()); }
  void spend_all() { keys_.spend_all(node_.new_address()); }
  void pay_myself() { keys_.spend(own_address(), amount()); }
  void replace_spend() { replace(SameKeys::kWallet); }
  void replace_payment() { replace(Bitcoind::kWallet); }
  // Any unconfirmed one of this wallet's own; bitcoind knows which it may replace.
  void replace(const char* wallet) {
    const auto listed = node_.wallet_rpc(wallet, "listtransactions", "*", 50);
    std::vector<std::string> candidates;
    for (const auto& entry : listed.as_array()) {
      if (entry.at("confirmations").to_number<int>() == 0 && entry.at("category").as_string() == "send") {
        candidates.emplace_back(entry.at("txid").as_string());
      }
    }
    if (candidates.empty()) return;
    node_.wallet_rpc(wallet, "bumpfee", candidates[rng_.below(candidates.size())]);
  }
  void mine() { node_.mine(static_cast<int>(1 + rng_.below(3))); }
  void mine_to_myself() { node_.mine(1, keys_.receive_address(kTypes[rng_.below(4)])); }
  void mine_empty() { node_.generate_block(node_.new_address(), {}); }
  void reorganise() {
    const int depth = static_cast<int>(1 + rng_.below(5));
    const auto transactions = transactions_since(node_.height() - depth + 1);
    const auto fork = node_.rpc("getblockhash", node_.height() - depth + 1);
    node_.invalidate_block(std::string(fork.as_string()));
    for (auto empty = rng_.below(3); empty > 0; --empty) mine_empty();
    node_.mine(depth + 1);
    // On a shorter chain the lock times of newer ones lay ahead, and the node forgot them: their owners send them
    // again.
    for (const auto& raw : transactions) {
      try {
        node_.rpc("sendrawtransaction", raw);
      } catch (const RpcError&) {  // mined already, or in conflict with one that is
      }
    }
  }
  /// Raw, without coinbases, parents first: of the blocks from this height on, then of the mempool.
  std::vector<boost::json::value> transactions_since(int height) {
    std::vector<boost::json::value> out;
    for (; height <= node_.height(); ++height) {
      const auto block = node_.rpc("getblock", node_.rpc("getblockhash", height), 2);
      const auto& list = block.at("tx").as_array();
      for (std::size_t i = 1; i < list.size(); ++i) out.push_back(list[i].at("hex"));
    }
    std::vector<std::pair<std::int64_t, boost::json::value>> pending;
    const auto mempool = node_.rpc("getrawmempool", true);
    for (const auto& [txid, entry] : mempool.as_object()) {
      pending.emplace_back(entry.at("ancestorcount").to_number<std::int64_t>(),
                           node_.rpc("getrawtransaction", std::string(txid)));
    }
    std::ranges::sort(pending, {}, [](const auto& item) { return item.first; });
    for (auto& [ancestors, raw] : pending) out.push_back(std::move(raw));
    return out;
  }

  util::Rng rng_;
  Bitcoind node_;
  SpvCli cli_;
  SameKeys keys_;
};

class RandomWalk : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomWalk, W3_W4_W5_W9_W10_EqualsTheNodesWalletAtEveryStep) {
  SPV_BITCOIND_OR_SKIP();
  const std::uint64_t seed = GetParam();
  Walk walk(seed);
  std::string story;
  for (std::uint64_t n = 1; n <= repeats(14, 60); ++n) {
    story += std::to_string(n) + " " + walk.step() + "\n";
    walk.sync();
    ASSERT_EQ(walk.by_spv(), walk.by_bitcoind()) << "seed " << seed << ":\n" << story;
  }
}
INSTANTIATE_TEST_SUITE_P(Seed, RandomWalk, testing::Range<std::uint64_t>(1, repeats(2, 30) + 1),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace spv::test
