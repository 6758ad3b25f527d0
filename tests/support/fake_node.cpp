#include "tests/support/fake_node.h"

#include <algorithm>
#include <numeric>

namespace spv::test {

int Seen::filtered_blocks_asked() const {
  return std::accumulate(filtered_blocks.begin(), filtered_blocks.end(), 0,
                         [](int sum, const auto& entry) { return sum + entry.second; });
}

FakeNode::FakeNode(ChainBuilder chain, std::uint64_t services_offered)
    : services(services_offered), chain_(std::move(chain)) {
  remember(chain_, 0);
}

void FakeNode::set_chain(ChainBuilder chain) {
  const chain::Height fork = chain_.fork_height(chain);
  chain_ = std::move(chain);
  remember(chain_, fork + 1);
  for (chain::Height height = fork + 1; height <= chain_.height() && !mempool_.empty(); ++height) {
    for (const auto& txid : chain_.block(height).txids) remove_from_mempool(txid);
  }
}

void FakeNode::mine(std::vector<chain::Transaction> txs) {
  ChainBuilder longer = chain_;
  set_chain(longer.block(std::move(txs)));
}

void FakeNode::mine_mempool() {
  std::vector<chain::Transaction> txs;
  for (const auto& entry : mempool_) txs.push_back(entry.tx);
  mine(std::move(txs));
}

void FakeNode::add_to_mempool(const chain::Transaction& tx, std::int64_t sat_per_kvb) {
  const auto txid = tx.txid();
  if (in_mempool(txid) == nullptr) mempool_.push_back({tx, txid, sat_per_kvb});
}

void FakeNode::remove_from_mempool(const chain::Txid& txid) {
  std::erase_if(mempool_, [&](const MempoolEntry& entry) { return entry.txid == txid; });
}

const MempoolEntry* FakeNode::in_mempool(const chain::Txid& txid) const {
  const auto found = std::find_if(mempool_.begin(), mempool_.end(), [&](const auto& e) { return e.txid == txid; });
  return found == mempool_.end() ? nullptr : &*found;
}

const Block* FakeNode::find_block(const chain::BlockHash& hash) const {
  const auto found = blocks_.find(hash);
  return found == blocks_.end() ? nullptr : found->second.get();
}

const FilterIndex::Entry& FakeNode::filter_of(const Block& block) {
  std::vector<const Block*> missing;
  const Block* below = &block;
  while (below != nullptr && filters_.find(below->hash) == nullptr) {
    missing.push_back(below);
    below = find_block(below->header.previous);
  }
  for (auto each = missing.rbegin(); each != missing.rend(); ++each) filters_.add(**each);
  return *filters_.find(block.hash);
}

void FakeNode::clear_faults() {
  faults_.clear();
  omitted_.clear();
}

void FakeNode::tamper(Reply& reply) const {
  for (const auto& fault : faults_) fault(reply);
}

void FakeNode::remember(const ChainBuilder& chain, chain::Height first) {
  for (chain::Height height = first; height <= chain.height(); ++height) {
    blocks_.emplace(chain.block(height).hash, chain.shared(height));
  }
}

}  // namespace spv::test
