// FilterChain: a real node with an index of compact filters over 2,050 blocks, in which every kind of script is paid
// and spent, and what it says of each block by RPC.
#pragma once

#include <string>
#include <vector>

#include "chain/transaction.h"
#include "tests/support/bitcoind.h"
#include "util/hash256.h"

namespace spv::test {

/// A block as the node tells it.
struct FilteredBlock {
  chain::BlockHash hash;
  std::vector<chain::Transaction> txs;
  std::vector<util::Bytes> spent;  // the scripts of the outputs that it spends
  util::Bytes filter;
  util::FilterHeader header;
};

class FilterChain {
 public:
  FilterChain();

  [[nodiscard]] Bitcoind& node() { return node_; }
  /// From genesis to the tip.
  [[nodiscard]] const std::vector<FilteredBlock>& blocks() const { return blocks_; }
  [[nodiscard]] chain::BlockHash hash(std::size_t height) const { return blocks_.at(height).hash; }
  /// One script of each kind that was paid and then spent: P2PKH, P2SH, P2WPKH, P2WSH, P2TR, bare multisig and so on.
  [[nodiscard]] const std::vector<util::Bytes>& surely_spent() const { return surely_spent_; }

 private:
  struct Coin {
    chain::OutPoint outpoint;
    chain::Amount value = 0;
  };

  void add_random_blocks();
  void pay_and_spend_every_kind();
  void read_blocks();
  [[nodiscard]] FilteredBlock read_block(int height);
  Coin largest_coin();
  util::Bytes new_script(const std::string& type);
  [[nodiscard]] std::string signed_by_wallet(const chain::Transaction& tx);

  Bitcoind node_;
  std::vector<FilteredBlock> blocks_;
  std::vector<util::Bytes> surely_spent_;
};

/// Waits until the node's filters reach its tip; throws after a minute.
void wait_for_filters(Bitcoind& node);

}  // namespace spv::test
