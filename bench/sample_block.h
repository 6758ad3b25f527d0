// A block of payments like those of the main chain, for programs that measure what a block costs.
#pragma once

#include <algorithm>
#include <vector>

#include "bip37/partial_merkle_tree.h"
#include "chain/block_header.h"
#include "chain/transaction.h"
#include "util/codec.h"
#include "util/rng.h"

namespace spv::bench {

/// P2WPKH, of nobody.
inline util::Bytes sample_script(util::Rng& rng) {
  util::Bytes out{0x00, 0x14};
  const auto hash = rng.bytes(20);
  out.insert(out.end(), hash.begin(), hash.end());
  return out;
}

// One to four inputs with a signature and a key each as witness, one to four outputs: 390 bytes on average, as on the
// main chain. Some carry data as large as the rest of them.
inline chain::Transaction sample_payment(util::Rng& rng) {
  chain::Transaction tx;
  for (std::uint64_t i = 1 + rng.below(3); i > 0; --i) {
    chain::TxInput input;
    const auto txid = rng.bytes(32);
    std::copy(txid.begin(), txid.end(), input.previous.txid.bytes.begin());
    input.witness = {rng.bytes(71), rng.bytes(33)};
    if (rng.below(4) == 0) input.witness.push_back(rng.bytes(rng.below(600)));
    tx.inputs.push_back(std::move(input));
  }
  for (std::uint64_t i = 1 + rng.below(3); i > 0; --i) tx.outputs.push_back({1'000, sample_script(rng)});
  return tx;
}

struct SampleBlock {
  chain::BlockHeader header;
  util::Bytes body;
};

inline SampleBlock sample_block(std::size_t transactions) {
  util::Rng rng(1);
  std::vector<chain::Transaction> txs(1);
  txs[0].inputs.resize(1);
  txs[0].inputs[0].previous.index = 0xFFFF'FFFF;
  txs[0].inputs[0].script_sig = {1, 2, 3};
  txs[0].outputs.push_back({50, sample_script(rng)});
  while (txs.size() < transactions) txs.push_back(sample_payment(rng));
  std::vector<chain::Txid> txids;
  util::Writer body;
  body.compact_size(txs.size());
  for (const auto& tx : txs) {
    tx.encode(body);
    txids.push_back(tx.txid());
  }
  SampleBlock block;
  block.header.merkle_root = bip37::merkle_root(txids);
  block.body = body.take();
  return block;
}

}  // namespace spv::bench
