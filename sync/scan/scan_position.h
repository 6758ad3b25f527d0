// ScanPosition: how far the scan has come: the only owner of "scanned to", of the blocks that are owed a second look,
// and of what was attested. The wallets are told before each commit, and where they stand it begins.
//
// `scanned_to` never goes back by a second look; `owed` says which blocks at or below it are to be scanned again.
#pragma once

#include <optional>
#include <vector>

#include "chain/header_chain.h"
#include "sync/watch/watcher.h"

namespace spv::sync {

class ScanPosition {
 public:
  /// `chain` and `watcher` outlive it.
  ScanPosition(const chain::HeaderChain& chain, Watcher& watcher) : chain_(chain), watcher_(watcher) { take(); }

  /// Begins again where the wallets stand.
  void take();
  /// The first block to scan, as of take().
  [[nodiscard]] chain::Height first() const { return first_; }
  [[nodiscard]] const chain::BlockRef& scanned_to() const { return scanned_to_; }
  [[nodiscard]] bool owes() const { return owed_.has_value(); }
  /// The highest block that was scanned, be it owed again or not.
  [[nodiscard]] chain::Height counts_to() const { return owed_ ? owed_->to : scanned_to_.height; }

  /// The next block is scanned.
  void advance(const chain::BlockRef& block);
  void attest_whole(chain::Height height) { whole_.push_back(height); }
  void attest_by_two(chain::Height height);
  /// These blocks must be scanned again, with those that are owed already. Gives the first block to scan then.
  chain::Height owe(chain::Height from, chain::Height to);

  /// The best chain has left the old one at `fork`.
  WatchEffect go_back_to(const chain::BlockRef& fork);
  /// The best chain is known, or other wallets are watched.
  WatchEffect align();

  /// Tells the wallets.
  void store();
  /// The same, and how many peers have the highest block.
  void store(std::uint32_t peers);

 private:
  void settle_birthday();

  const chain::HeaderChain& chain_;
  Watcher& watcher_;
  chain::Height first_ = 0;
  chain::BlockRef scanned_to_;
  std::optional<wallet::HeightRange> owed_;
  bool dirty_ = false;  // the wallets do not know yet
  std::vector<chain::Height> by_two_;
  std::vector<chain::Height> whole_;
};

}  // namespace spv::sync
