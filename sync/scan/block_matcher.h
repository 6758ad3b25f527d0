// BlockMatcher: whole blocks, proven and matched here. A block is read where it lies in the receive buffer; its
// transactions must hash to the root of a header that we know, and what the wallet watches is kept, with its witness.
//
// What this resists: transactions changed, left out or repeated (CVE-2012-2459); inner nodes of the merkle tree that
// pose as transactions (CVE-2017-12842: none of them has a coinbase's first input); a witness that the block does not
// commit to (BIP141). A whole block cannot lie by omission.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "bip37/partial_merkle_tree.h"
#include "chain/block_header.h"
#include "chain/block_walk.h"
#include "sync/scan/scanned_block.h"
#include "sync/watch/watch_set.h"
#include "sync/watch/watcher.h"
#include "util/expected.h"

namespace spv::sync {

/// Why a whole block is refused.
enum class BlockError {
  Malformed,       // it is no list of transactions
  NoCoinbase,      // the first transaction is no coinbase
  Repeated,        // transactions are repeated so that the root stays the same
  WrongRoot,       // it does not hash to its header's root
  BadTransaction,  // a transaction for us breaks the rules
  WrongWitness,    // a witness for us is not what the block commits to
};
std::string_view to_string(BlockError error);
DisconnectReason reason_of(BlockError error);

/// What a whole block holds for us.
struct BlockMatches {
  std::uint32_t transactions = 0;  // how many it has in all
  std::vector<ProvenTransaction> matched;
  std::size_t bytes = 0;          // of those
  bip37::PartialMerkleTree tree;  // proves them; filled only if there are any
  /// All that it spends, if asked for.
  std::vector<WatchSet::Fingerprint> spends;
};

class BlockMatcher {
 public:
  explicit BlockMatcher(util::Rng rng) : watched_(rng) {}

  /// Watches all that is watched now, and nothing else.
  void watch(const Watcher& watcher);
  /// The same of these scripts and outpoints.
  void watch(const std::vector<util::Bytes>& scripts, const std::vector<chain::OutPoint>& outpoints);
  /// Watches the coins of this transaction too that pay a watched script, and gives them.
  std::vector<chain::OutPoint> learn(const chain::Transaction& tx, const chain::Txid& txid);
  /// True if a block that spends all this spends the coin.
  [[nodiscard]] bool spends(const std::vector<WatchSet::Fingerprint>& spent, const chain::OutPoint& coin) const;

  /// Proves a block by its header, and finds what is watched in it. Coins that it brings are watched from then on, in
  /// the rest of this block too.
  util::Expected<BlockMatches, BlockError> match(const chain::BlockHeader& header, util::ByteView body,
                                                 bool with_spends);

 private:
  struct Tx {
    chain::TxView view;
    std::size_t lookups = 0;  // where its inputs begin in lookups_
    std::size_t outputs = 0;  // and its outputs
  };

  void add(const std::vector<chain::OutPoint>& outpoints);
  std::optional<BlockError> read(util::ByteView body);
  [[nodiscard]] std::optional<BlockError> prove(const chain::MerkleRoot& root);
  void find();
  bool find_in(std::size_t number, std::size_t end);
  std::optional<BlockError> keep(BlockMatches& out) const;
  [[nodiscard]] bool commits_to_witnesses() const;

  WatchSet watched_;
  // Of the block that is being looked at; the memory serves the next one too.
  std::vector<Tx> txs_;
  std::vector<WatchSet::Fingerprint> lookups_;
  std::vector<util::PartedMessage> messages_;
  std::vector<util::Hash256> txids_;
  std::vector<util::Hash256> fold_;
  std::vector<std::size_t> found_;  // places of the transactions that match
};

}  // namespace spv::sync
