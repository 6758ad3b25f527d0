#include "bench/sync/block_file.h"

#include <algorithm>
#include <stdexcept>

#include "bip37/partial_merkle_tree.h"
#include "chain/params.h"
#include "chain/pow.h"
#include "tests/support/scripts.h"
#include "tests/support/tx_builder.h"
#include "util/codec.h"
#include "util/hash.h"

namespace spv::bench {
namespace {

constexpr std::int32_t kBlockVersion = 0x2000'0000;
constexpr std::uint32_t kSecondsApart = 600;
constexpr chain::Height kHalving = 150;

const chain::NetworkParams& regtest() { return chain::params(chain::Network::Regtest); }

chain::Amount subsidy(chain::Height height) {
  const int halvings = height / kHalving;
  return halvings >= 63 ? 0 : (50 * chain::kCoin) >> halvings;
}

// BIP141: the root over the wtxids (the coinbase's taken as zero), hashed with the coinbase's witness.
void commit_to_witnesses(chain::Transaction& coinbase, const std::vector<chain::Transaction>& txs) {
  const util::Bytes reserved(32, 0);
  const util::Bytes tag{0xAA, 0x21, 0xA9, 0xED};
  std::vector<chain::Txid> leaves(1);
  for (const auto& tx : txs) leaves.push_back(util::retag<chain::Txid>(tx.wtxid()));
  const auto commitment = util::sha256d_pair(bip37::merkle_root(leaves).view(), reserved);
  coinbase.inputs.front().witness = {reserved};
  coinbase.outputs.push_back({.value = 0, .script_pubkey = test::op_return(test::concat({tag, commitment.view()}))});
}

}  // namespace

BlockFile::BlockFile(const std::string& path)
    : out_(path, std::ios::binary | std::ios::trunc), last_(regtest().genesis), last_hash_(regtest().genesis_hash) {
  if (!out_) throw std::runtime_error("cannot write " + path);
}

chain::Transaction BlockFile::add(const std::vector<chain::Transaction>& txs) {
  ++height_;
  auto coinbase = test::TxBuilder::coinbase(height_, test::op_true(), subsidy(height_));
  if (std::any_of(txs.begin(), txs.end(), [](const auto& tx) { return tx.has_witness(); })) {
    commit_to_witnesses(coinbase, txs);
  }
  std::vector<chain::Txid> txids{coinbase.txid()};
  for (const auto& tx : txs) txids.push_back(tx.txid());
  last_ = {.version = kBlockVersion,
           .previous = last_hash_,
           .merkle_root = bip37::merkle_root(txids),
           .time = last_.time + kSecondsApart,
           .bits = regtest().genesis.bits,
           .nonce = 0};
  while (!chain::check_proof_of_work(last_hash_ = last_.hash(), last_.bits, regtest())) ++last_.nonce;
  write(coinbase, txs);
  return coinbase;
}

void BlockFile::write(const chain::Transaction& coinbase, const std::vector<chain::Transaction>& txs) {
  util::Writer block;
  last_.encode(block);
  block.compact_size(txs.size() + 1);
  coinbase.encode(block);
  for (const auto& tx : txs) tx.encode(block);
  const auto frame =
      util::Writer().bytes(regtest().magic).integer(static_cast<std::uint32_t>(block.data().size())).take();
  out_.write(reinterpret_cast<const char*>(frame.data()), static_cast<std::streamsize>(frame.size()));
  out_.write(reinterpret_cast<const char*>(block.data().data()), static_cast<std::streamsize>(block.data().size()));
}

void BlockFile::finish() {
  out_.close();
  if (!out_) throw std::runtime_error("the block file could not be written: is the disk full?");
}

}  // namespace spv::bench
