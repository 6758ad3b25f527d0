// RandomChain: a long chain that a real node accepts, full of every kind of script, spend and oddity that a
// filter can meet. Needs no signatures: what is spent is OP_TRUE in one of its forms.
#pragma once

#include <cstdint>
#include <vector>

#include "bip37/bloom_filter.h"
#include "chain/transaction.h"
#include "tests/support/chain_builder.h"
#include "util/bytes.h"
#include "util/rng.h"

namespace spv::test {

class RandomChain {
 public:
  explicit RandomChain(std::uint64_t seed);

  /// Adds blocks of up to a few dozen transactions; the first hundred are empty, until a coinbase can be spent.
  void grow(int blocks);
  [[nodiscard]] const ChainBuilder& chain() const { return chain_; }
  /// A filter of a random shape over random elements, txids and outpoints of this chain.
  bip37::BloomFilter random_filter(bip37::UpdateFlags flags);
  util::Rng& rng() { return rng_; }

 private:
  enum class Lock { OpTrue, P2wshOpTrue, P2shDropTrue };
  struct Coin {
    chain::OutPoint outpoint;
    chain::Amount value = 0;
    Lock lock = Lock::OpTrue;
  };

  void add_block();
  chain::Transaction random_transaction();
  Coin take_coin();
  util::Bytes script_of(Lock lock) const;
  util::Bytes random_script();
  util::Bytes odd_script();
  /// A known element of this length, so that filters meet it again and again.
  const util::Bytes& element(std::size_t size);
  util::Bytes public_key();

  util::Rng rng_;
  ChainBuilder chain_;
  std::vector<Coin> coins_;
  std::vector<util::Bytes> elements_;
  util::Bytes redeem_script_;
  std::vector<chain::Txid> txids_;
  std::vector<chain::OutPoint> outpoints_;
};

}  // namespace spv::test
