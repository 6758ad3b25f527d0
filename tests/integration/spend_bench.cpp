#include "tests/integration/spend_bench.h"

#include <algorithm>
#include <map>
#include <memory>

namespace spv::test {
namespace {

Words types_of(const std::string& script) {
  if (script == "pkh") return {"legacy"};
  if (script == "sh-wpkh") return {"p2sh-segwit"};
  if (script == "wpkh") return {"bech32"};
  if (script == "tr") return {"bech32m"};
  return {"legacy", "p2sh-segwit", "bech32", "bech32m"};
}

}  // namespace

std::string text_of(const boost::json::value& value) { return std::string(value.as_string()); }

std::string outpoint_of(const boost::json::value& coin) {
  return text_of(coin.at("txid")) + ":" + std::to_string(coin.at("vout").as_int64());
}

Words joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

SpendBench::SpendBench(const std::string& script) : keys(node, cli, script), types_(types_of(script)) {
  node.mine(105);
}

SpendBench& SpendBench::shared(const std::string& script) {
  static std::map<std::string, std::unique_ptr<SpendBench>> benches;
  auto& bench = benches[script];
  if (!bench) bench = std::make_unique<SpendBench>(script);
  return *bench;
}

void SpendBench::fund(int count, std::int64_t amount_sat) {
  boost::json::object outputs;
  for (int i = 0; i < count; ++i) {
    for (const auto& type : types_) outputs[keys.receive_address(type)] = to_btc(amount_sat);
  }
  node.wallet_rpc(Bitcoind::kWallet, "sendmany", "", outputs);
  mine();
  sync();
}

boost::json::value SpendBench::pay(Words words) {
  return cli.json(joined(std::move(words), {"--connect", node.address(), "--peers", "1"}));
}

boost::json::value SpendBench::dry_run(Words words) { return cli.json(joined(std::move(words), {"--dry-run"})); }

void SpendBench::sync() {
  const auto heights = keys.by_bitcoind().heights;
  const bool waits = std::ranges::any_of(heights, [](const auto& item) { return item.second == -1; });
  keys.sync({"--mempool-wait", waits ? "30" : "0"});
}

boost::json::value SpendBench::verdict(const boost::json::value& hex) {
  return node.rpc("testmempoolaccept", boost::json::array{hex}).at(0);
}

bool SpendBench::in_mempool(const std::string& txid) {
  const auto pool = node.rpc("getrawmempool").as_array();
  return std::find(pool.begin(), pool.end(), boost::json::value(txid)) != pool.end();
}

void SpendBench::mine(int count) { node.mine(count); }

}  // namespace spv::test
