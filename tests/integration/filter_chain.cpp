#include "tests/integration/filter_chain.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>

#include "chain/block_header.h"
#include "tests/integration/random_chain.h"
#include "tests/support/poll_until.h"
#include "tests/support/scripts.h"
#include "tests/support/tx_builder.h"
#include "tests/support/vectors.h"
#include "util/codec.h"
#include "util/ensure.h"
#include "util/hash.h"
#include "util/hex.h"

namespace spv::test {
namespace {

constexpr std::uint64_t kSeed = 158;
constexpr int kRandomBlocks = 190;  // the first hundred are empty
constexpr int kRounds = 5;
constexpr int kHeight = 2'050;

/// An output that anyone can spend, with what spends it.
struct Open {
  util::Bytes script;
  util::Bytes script_sig;
  bool witness = false;
};

std::vector<Open> open_outputs() {
  constexpr std::uint8_t kDrop = 0x75;
  constexpr std::uint8_t kCheckMultisig = 0xAE;
  const util::Bytes key(33, 2);
  return {{.script = op_true(), .script_sig = {}},
          {.script = concat({push(key), op(kDrop), op_true()}), .script_sig = {}},
          {.script = p2sh(util::hash160(op_true())), .script_sig = push(op_true())},
          {.script = p2wsh_op_true(), .script_sig = {}, .witness = true},
          // No signature of one key; the empty push is the one that CHECKMULTISIG takes too many.
          {.script = concat({op(0), push(key), op_true(), op(kCheckMultisig)}), .script_sig = op(0)},
          {.script = {}, .script_sig = op_true()}};
}

std::string hex_of(const chain::Transaction& tx) { return util::to_hex(tx.serialize(chain::Witness::Include)); }

}  // namespace

void wait_for_filters(Bitcoind& node) {
  const auto height = node.height();
  const auto synced = [&] {
    const auto index = node.rpc("getindexinfo").at("basic block filter index");
    return index.at("synced").as_bool() && index.at("best_block_height").as_int64() == height;
  };
  if (!poll_until(synced, std::chrono::minutes(1))) throw std::runtime_error("the node's filters do not reach its tip");
}

FilterChain::FilterChain()
    // The random chain is of 2011: without maxtipage the node would think that it is still syncing.
    : node_({.arguments = {"-blockfilterindex=1", "-peerblockfilters=1", "-maxtipage=2000000000"}}) {
  add_random_blocks();
  // Not to the wallet, which writes every coinbase to the disk before the next.
  const std::string nobody(node_.rpc("decodescript", util::to_hex(op_true())).at("segwit").at("address").as_string());
  node_.mine(1);
  node_.mine(chain::kCoinbaseMaturity, nobody);
  for (int i = 0; i < kRounds; ++i) pay_and_spend_every_kind();
  node_.mine(kHeight - node_.height(), nobody);
  wait_for_filters(node_);
  read_blocks();
}

void FilterChain::add_random_blocks() {
  RandomChain random(kSeed);
  random.grow(kRandomBlocks);
  for (int height = 1; height <= kRandomBlocks; ++height) {
    const auto answer = node_.rpc("submitblock", util::to_hex(random.chain().block(height).serialize()));
    if (!answer.is_null()) throw std::runtime_error("the node refuses a block: " + boost::json::serialize(answer));
  }
}

void FilterChain::pay_and_spend_every_kind() {
  const auto coin = largest_coin();
  const auto open = open_outputs();
  std::vector<util::Bytes> scripts;
  for (const char* type : {"legacy", "p2sh-segwit", "bech32", "bech32m"}) scripts.push_back(new_script(type));
  const auto owned = static_cast<std::uint32_t>(scripts.size());
  for (const auto& output : open) scripts.push_back(output.script);
  const auto value = coin.value / static_cast<chain::Amount>(scripts.size());
  TxBuilder funding;
  funding.spends(coin.outpoint).op_return(util::Bytes(20, 7));
  for (const auto& script : scripts) funding.pays(script, value);
  const auto funded = signed_by_wallet(funding.build());
  node_.generate_block(node_.new_address(), {funded});
  // The witness of the wallet is no part of the txid, but a scriptSig would be.
  const auto paid = *chain::Transaction::parse(hex(funded));

  TxBuilder from_wallet;
  for (std::uint32_t i = 1; i <= owned; ++i) from_wallet.spends(paid, i);
  from_wallet.pays(new_script("bech32"), value * owned);
  TxBuilder from_anyone;
  for (std::uint32_t i = 0; i < open.size(); ++i) {
    from_anyone.spends(paid, 1 + owned + i, open[i].script_sig);
    if (open[i].witness) from_anyone.witness(op_true());
  }
  const auto passed_on = from_anyone.pays(op_true(), value).pays(p2tr(util::Bytes(32, 9)), value).build();
  const auto in_the_same_block = TxBuilder().spends(passed_on).pays(op_return(util::Bytes(3, 1)), value).build();
  node_.generate_block(node_.new_address(),
                       {signed_by_wallet(from_wallet.build()), hex_of(passed_on), hex_of(in_the_same_block)});
  surely_spent_.insert(surely_spent_.end(), scripts.begin(), scripts.end());
}

FilterChain::Coin FilterChain::largest_coin() {
  const auto unspent = node_.wallet_rpc(Bitcoind::kWallet, "listunspent");
  Coin best;
  for (const auto& coin : unspent.as_array()) {
    const auto value = to_sat(coin.at("amount"));
    if (value <= best.value) continue;
    const auto txid = *util::parse_hash<chain::Txid>(coin.at("txid").as_string());
    best = {{txid, coin.at("vout").to_number<std::uint32_t>()}, value};
  }
  util::ensure(best.value > 0, "the wallet has a coin");
  return best;
}

util::Bytes FilterChain::new_script(const std::string& type) {
  return hex(node_.wallet_rpc(Bitcoind::kWallet, "getaddressinfo", node_.new_address(type)).at("scriptPubKey"));
}

std::string FilterChain::signed_by_wallet(const chain::Transaction& tx) {
  const auto answer = node_.wallet_rpc(Bitcoind::kWallet, "signrawtransactionwithwallet", hex_of(tx));
  if (!answer.at("complete").as_bool()) throw std::runtime_error("not signed: " + boost::json::serialize(answer));
  return std::string(answer.at("hex").as_string());
}

void FilterChain::read_blocks() {
  for (int height = 0; height <= kHeight; ++height) blocks_.push_back(read_block(height));
}

FilteredBlock FilterChain::read_block(int height) {
  const auto hash = node_.rpc("getblockhash", height);
  FilteredBlock block;
  block.hash = *util::parse_hash<chain::BlockHash>(hash.as_string());
  const auto bytes = hex(node_.rpc("getblock", hash, 0));
  util::Reader in(util::ByteView(bytes).subspan(chain::BlockHeader::kSize));
  block.txs.resize(in.count(60));
  for (auto& tx : block.txs) tx = chain::Transaction::decode(in);
  util::ensure(in.done(), "a block of the node decodes");
  const auto verbose = node_.rpc("getblock", hash, 3);
  for (const auto& tx : verbose.at("tx").as_array()) {
    for (const auto& input : tx.at("vin").as_array()) {
      if (input.as_object().contains("coinbase")) continue;
      block.spent.push_back(hex(input.at("prevout").at("scriptPubKey").at("hex")));
    }
  }
  const auto filter = node_.rpc("getblockfilter", hash);
  block.filter = hex(filter.at("filter"));
  block.header = *util::parse_hash<util::FilterHeader>(filter.at("header").as_string());
  return block;
}

}  // namespace spv::test
