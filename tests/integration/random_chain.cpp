#include "tests/integration/random_chain.h"

#include <algorithm>
#include <cmath>

#include "tests/support/scripts.h"
#include "tests/support/tx_builder.h"
#include "util/ensure.h"
#include "util/hash.h"

namespace spv::test {
namespace {

constexpr std::size_t kElementsPerSize = 40;
constexpr std::uint8_t kDrop = 0x75;

}  // namespace

RandomChain::RandomChain(std::uint64_t seed) : rng_(seed) {
  for (const std::size_t size : {20U, 32U, 33U, 65U, 5U, 80U}) {
    for (std::size_t i = 0; i < kElementsPerSize; ++i) elements_.push_back(rng_.bytes(size));
  }
  redeem_script_ = concat({push(element(20)), op(kDrop), op_true()});
}

void RandomChain::grow(int blocks) {
  for (int i = 0; i < blocks; ++i) add_block();
}

void RandomChain::add_block() {
  const auto mature = chain_.height() + 1 - chain::kCoinbaseMaturity;
  if (mature >= 1) {
    const auto& coinbase = chain_.block(mature).txs[0];
    coins_.push_back({outpoint(coinbase), coinbase.outputs[0].value, Lock::OpTrue});
  }
  std::vector<chain::Transaction> txs;
  if (!coins_.empty()) {
    const auto many = rng_.below(10) == 0;
    for (auto count = rng_.below(many ? 40 : 8); count > 0; --count) txs.push_back(random_transaction());
  }
  chain_.block(std::move(txs));
}

chain::Transaction RandomChain::random_transaction() {
  TxBuilder builder(rng_.next());
  chain::Amount value = 0;
  std::vector<std::pair<chain::Amount, Lock>> locks;
  for (auto inputs = 1 + rng_.below(3); inputs > 0 && !coins_.empty(); --inputs) {
    const Coin coin = take_coin();
    value += coin.value;
    builder.spends(coin.outpoint, coin.lock == Lock::OpTrue && rng_.below(2) == 0
                                      ? push(elements_[rng_.below(elements_.size())])
                                      : util::Bytes{});
    if (coin.lock == Lock::P2wshOpTrue) builder.witness(op_true());
    if (coin.lock == Lock::P2shDropTrue) builder.script_sig(concat({push(element(33)), push(redeem_script_)}));
  }
  for (auto others = rng_.below(4); others > 0; --others) builder.pays(random_script(), 0);
  // Mostly two coins for the one or two spent, so that the pool lasts.
  const auto parts = static_cast<chain::Amount>(1 + rng_.below(3));
  const auto first = static_cast<std::uint32_t>(builder.output_count());
  for (chain::Amount i = 0; i < parts; ++i) {
    const auto lock = static_cast<Lock>(rng_.below(3));
    builder.pays(script_of(lock), value / parts);
    locks.emplace_back(value / parts, lock);
  }
  auto tx = builder.build();
  const auto txid = tx.txid();
  txids_.push_back(txid);
  for (std::uint32_t i = 0; i < locks.size(); ++i) {
    coins_.push_back({{txid, first + i}, locks[i].first, locks[i].second});
    outpoints_.push_back(coins_.back().outpoint);
  }
  return tx;
}

RandomChain::Coin RandomChain::take_coin() {
  // Often the newest: a spend within the block that made it.
  const auto at = rng_.below(3) == 0 ? coins_.size() - 1 : rng_.below(coins_.size());
  const Coin coin = coins_[at];
  coins_.erase(coins_.begin() + static_cast<std::ptrdiff_t>(at));
  return coin;
}

util::Bytes RandomChain::script_of(Lock lock) const {
  switch (lock) {
    case Lock::OpTrue:
      return op_true();
    case Lock::P2wshOpTrue:
      return p2wsh_op_true();
    case Lock::P2shDropTrue:
      return p2sh(util::hash160(redeem_script_));
  }
  return {};
}

util::Bytes RandomChain::random_script() {
  switch (rng_.below(10)) {
    case 0:
      return p2pkh(element(20));
    case 1:
      return p2sh(element(20));
    case 2:
      return p2wpkh(element(20));
    case 3:
      return p2wsh(element(32));
    case 4:
      return p2tr(element(32));
    case 5:
      return p2pk(public_key());
    case 6:
      return multisig(1, {public_key(), public_key()});
    case 7:
      return op_return(elements_[rng_.below(elements_.size())]);
    case 8:
      return multisig(2, {public_key(), public_key(), public_key()});
    default:
      return odd_script();
  }
}

// What only a careful reader of pushes treats as Core does.
util::Bytes RandomChain::odd_script() {
  const util::Bytes& data = element(33);
  switch (rng_.below(8)) {
    case 0:
      return {};
    case 1:  // a push whose end is missing, behind one that is whole
      return concat({push(element(20)), util::Bytes{0x20, 1, 2, 3}});
    case 2:  // PUSHDATA1, PUSHDATA2 and PUSHDATA4 where a plain push would do
      return concat(
          {util::Bytes{0x4C, 33}, data, util::Bytes{0x4D, 33, 0}, data, util::Bytes{0x4E, 20, 0, 0, 0}, element(20)});
    case 3:  // a length that promises more than any script holds
      return concat({push(element(5)), util::Bytes{0x4E, 0xFF, 0xFF, 0xFF, 0xFF}, data});
    case 4:  // looks like P2PK, but the key is none: 33 bytes with a prefix of 5
      return p2pk(concat({util::Bytes{5}, util::ByteView(data).subspan(1)}));
    case 5:  // more signatures wanted than there are keys
      return multisig(3, {public_key(), public_key()});
    case 6:  // empty pushes and opcodes around an element
      return concat({util::Bytes{0x00, 0x4C, 0x00, 0x61}, push(element(80)), util::Bytes{0xFF, 0x4F}});
    default:  // multisig with something behind it
      return concat({multisig(1, {public_key()}), op(kDrop)});
  }
}

const util::Bytes& RandomChain::element(std::size_t size) {
  std::size_t first = 0;
  while (first < elements_.size() && elements_[first].size() != size) first += kElementsPerSize;
  util::ensure(first < elements_.size(), "no elements of this size");
  return elements_[first + rng_.below(kElementsPerSize)];
}

util::Bytes RandomChain::public_key() {
  const bool compressed = rng_.below(2) == 0;
  util::Bytes key = element(compressed ? 33 : 65);
  key[0] = compressed ? static_cast<std::uint8_t>(2 + (key[1] & 1U)) : std::uint8_t{4};
  return key;
}

bip37::BloomFilter RandomChain::random_filter(bip37::UpdateFlags flags) {
  const auto count = 1 + rng_.below(40);
  const double rate = std::pow(10.0, -static_cast<double>(1 + rng_.below(6)));
  bip37::BloomFilter filter(bip37::design_filter(count, rate), static_cast<std::uint32_t>(rng_.next()), flags);
  for (std::uint64_t i = 0; i < count; ++i) {
    switch (rng_.below(5)) {
      case 0:
        filter.insert(txids_[rng_.below(txids_.size())].view());
        break;
      case 1:
        filter.insert(outpoints_[rng_.below(outpoints_.size())].bytes());
        break;
      case 2:
        filter.insert(public_key());
        break;
      default:
        filter.insert(elements_[rng_.below(elements_.size())]);
    }
  }
  return filter;
}

}  // namespace spv::test
