// CompactScan: what all peers' lanes share where blocks are scanned by compact filters (BIP157/158): the chain of
// filter headers, the scripts that are looked for, the blocks that are looked through whatever their filter says, and
// the trial of two filters that differ.
//
// A filter holds the scripts of what a block spends as well as of what it pays, so our scripts alone find our spends;
// no coin has to be known. What spends coins of others that a payment to us spends too (a double spend that pays
// someone else) is in sight only where the coin comes from a transaction that we have: the newest blocks are looked
// through as long as another such payment waits.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "bip158/gcs.h"
#include "bip158/script_set.h"
#include "sync/scan/compact/filter_headers.h"
#include "sync/scan/compact/filter_trial.h"
#include "sync/watch/watcher.h"
#include "util/expected.h"

namespace spv::sync {

class CompactScan {
 public:
  /// So many of the newest blocks are looked through while a payment of others to us waits for a block.
  static constexpr chain::Height kNewestBlocks = 6;
  /// So many coins of others are remembered. One is enough to have the newest blocks looked through.
  static constexpr std::size_t kMostForeign = 500;
  /// Blocks that wait for a second peer's word, at most.
  static constexpr std::size_t kMostByOne = 10'000;

  /// All outlive it. `store`: where headers are kept; null: in memory.
  CompactScan(const chain::HeaderChain& chain, const Watcher& watcher, bip158::FilterHeaderStore* store)
      : chain_(chain),
        watcher_(watcher),
        own_store_(chain.base_height()),
        headers_(chain, store == nullptr ? own_store_ : *store),
        trial_([this](const chain::OutPoint& coin) { return script_of(coin); }) {}
  CompactScan(const CompactScan&) = delete;
  CompactScan& operator=(const CompactScan&) = delete;

  [[nodiscard]] FilterHeaders& headers() { return headers_; }
  [[nodiscard]] const FilterHeaders& headers() const { return headers_; }
  [[nodiscard]] FilterTrial& trial() { return trial_; }
  [[nodiscard]] const FilterTrial& trial() const { return trial_; }

  /// Something else is watched.
  void renew() { stale_ = true; }
  /// A payment waits for a block: what it spends is watched too. Costs nothing that grows with the wallet.
  void watch_inputs(const chain::Transaction& tx, const chain::Txid& txid);
  /// This stands in a block: nobody else spends what it spends.
  void on_confirmed(const chain::Transaction& tx, const chain::Txid& txid);
  /// Whether the block must be looked through; why the connection must end, if the filter is not the one that our
  /// headers name, or is no filter.
  util::Expected<bool, DisconnectReason> look_at(const chain::BlockRef& block, util::ByteView filter);
  /// No filter tells whether there is something of ours in this block.
  void doubt(chain::Height height) { doubtful_.insert(height); }
  /// A block counts by its filter. True if two peers have sent the same; else it is kept in mind, as long as a second
  /// one is being compared.
  bool on_applied(chain::Height height);
  /// Those of them that two peers have sent by now.
  [[nodiscard]] std::vector<chain::Height> take_confirmed();
  /// The scan begins here: what was asked for so far no longer counts.
  void begin_at(chain::Height first) {
    headers_.begin_at(first);
    trial_.forget_block();
  }
  /// The chain was left here.
  void cut_above(chain::Height height);

 private:
  struct ByBytes {
    using is_transparent = void;
    bool operator()(util::ByteView a, util::ByteView b) const { return std::ranges::lexicographical_compare(a, b); }
  };

  [[nodiscard]] std::optional<util::Bytes> script_of(const chain::OutPoint& coin) const;
  void watch_foreign(const chain::OutPoint& coin, const chain::Txid& by);
  void refresh();

  const chain::HeaderChain& chain_;
  const Watcher& watcher_;
  bip158::MemoryFilterHeaders own_store_;
  FilterHeaders headers_;
  FilterTrial trial_;
  bip158::ScriptSet scripts_;
  bip158::Scratch scratch_;
  bool stale_ = true;
  std::set<util::Bytes, ByBytes> others_;           // scripts in scripts_ that are not known as the wallets' own
  std::map<chain::OutPoint, chain::Txid> foreign_;  // watched coins of unknown script, and what spends them, if known
  std::set<chain::Height> doubtful_;
  std::set<chain::Height> by_one_;  // scanned by a filter that only one peer has sent so far
};

}  // namespace spv::sync
