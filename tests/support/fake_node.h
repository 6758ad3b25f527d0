// FakeNode: a full node in memory, as its peers see it: a chain, a mempool, its services and its vices.
// Each connection to it is a FakePeer (fake_peer.h). No clock, no socket: tests and the simulation move the messages.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

#include "bip37/bloom_filter.h"
#include "chain/transaction.h"
#include "p2p/message.h"
#include "tests/support/chain_builder.h"
#include "tests/support/filter_index.h"

namespace spv::test {

using Messages = std::vector<p2p::Message>;

/// What a node does in answer to something: messages in order, and then perhaps it hangs up.
struct Reply {
  Messages messages;
  bool closed = false;
};

/// Changes what leaves the node, on every connection: the most general way to make it lie. See faults.h.
using Tamper = std::function<void(Reply&)>;

/// What the node was asked, over all its connections.
struct Seen {
  std::size_t connections = 0;
  std::vector<bip37::BloomFilter> filter_loads;
  std::vector<std::size_t> getdata_sizes;
  std::map<chain::Height, int> filtered_blocks;  // times asked, by height; of any branch
  std::map<chain::Height, int> whole_blocks;     // the same for whole ones
  std::size_t unknown_blocks = 0;                // blocks asked that the node does not have
  std::size_t headers_requests = 0;
  std::size_t mempool_requests = 0;
  std::vector<chain::Transaction> transactions;  // sent to the node, in order
  std::vector<chain::Txid> announced;            // to the node, in order
  std::map<chain::Height, int> coinbases;        // asked for by getblocktxn
  std::map<chain::Height, int> filters;          // compact filters served, by height; of any branch
  std::size_t filter_header_requests = 0;
  std::size_t filter_checkpoint_requests = 0;

  /// Filtered blocks asked in all, repeats included.
  [[nodiscard]] int filtered_blocks_asked() const;
};

struct MempoolEntry {
  chain::Transaction tx;
  chain::Txid txid;
  std::int64_t sat_per_kvb = 0;
};

class FakeNode {
 public:
  static constexpr std::uint64_t kDefaultServices =
      p2p::services::kNetwork | p2p::services::kWitness | p2p::services::kBloom;
  static constexpr std::int64_t kDefaultFeeRate = 10'000;

  explicit FakeNode(ChainBuilder chain = {}, std::uint64_t services = kDefaultServices);

  [[nodiscard]] const ChainBuilder& chain() const { return chain_; }
  /// Extends or reorganises; blocks left behind are still served. Connections tell it by FakePeer::announce_tip().
  /// Transactions of the new blocks leave the mempool.
  void set_chain(ChainBuilder chain);
  /// Adds one block to the chain, with the transactions given.
  void mine(std::vector<chain::Transaction> txs = {});
  /// Mines everything in the mempool.
  void mine_mempool();

  void add_to_mempool(const chain::Transaction& tx, std::int64_t sat_per_kvb = kDefaultFeeRate);
  void remove_from_mempool(const chain::Txid& txid);
  /// In the order in which they came.
  [[nodiscard]] const std::vector<MempoolEntry>& mempool() const { return mempool_; }
  [[nodiscard]] const MempoolEntry* in_mempool(const chain::Txid& txid) const;

  /// A block of the chain or of one that the node has left.
  [[nodiscard]] const Block* find_block(const chain::BlockHash& hash) const;

  /// The compact filter of a block that the node has.
  const FilterIndex::Entry& filter_of(const Block& block);
  /// From now on the node's compact filters are forged; their headers agree with them, on every block.
  void forge_filters(FilterForge forge) { filters_ = FilterIndex(std::move(forge)); }

  /// Leaves this transaction out wherever it would match: blocks (with a valid proof), relay, mempool.
  void omit_tx(const chain::Txid& txid) { omitted_.insert(txid); }
  [[nodiscard]] bool omits(const chain::Txid& txid) const { return omitted_.count(txid) != 0; }
  /// Adds a fault; several act in the order in which they were added.
  void add_fault(Tamper fault) { faults_.push_back(std::move(fault)); }
  void clear_faults();
  void tamper(Reply& reply) const;

  // Plain settings, to be changed at will; a connection sees them at once.
  std::uint64_t services;
  std::int32_t protocol_version = p2p::kProtocolVersion;
  std::int32_t claimed_height_offset = 0;  // added to the start height that it claims
  bool refuses_transactions = false;       // takes no transaction that a peer sends
  bool forgets_stale_blocks = false;       // silence for blocks off its chain
  chain::Height pruned_below = 0;          // silence for blocks below this height
  std::vector<p2p::TimedAddress> addresses;
  std::int64_t fee_filter = 1'000;  // what it announces as the least that it relays
  bool ignores_inventory = false;   // fetches nothing that is announced to it
  /// Silence for compact filters above: the index is still being built.
  chain::Height filters_up_to = std::numeric_limits<chain::Height>::max();

  Seen seen;

 private:
  void remember(const ChainBuilder& chain, chain::Height first);

  ChainBuilder chain_;
  std::unordered_map<chain::BlockHash, std::shared_ptr<const Block>> blocks_;
  FilterIndex filters_;  // of the blocks that were asked for and those below
  std::vector<MempoolEntry> mempool_;
  std::set<chain::Txid> omitted_;
  std::vector<Tamper> faults_;
};

}  // namespace spv::test
