// FilterSlices: what is watched may be more than one filter holds at its rate (BIP37: 36,000 bytes). Then a stretch of
// blocks is scanned in several passes, each under a filter that holds a slice of it. What a pass finds waits here until
// the last one has looked at the same block: the wallet hears of a block once, complete and in its turn.
//
// Nothing is missed: when a stretch begins, every element is in one slice, and the slice's pass looks at every block of
// the stretch. A coin that a block of the stretch brings is paid to a script of some slice; in that slice's pass it is
// inserted by the node (UPDATE_ALL) or by us, as in a scan with one filter.
//
//   idle --begin--> pass 1 --next--> ... --next--> last pass --next--> idle       (clear: idle, from any)
#pragma once

#include <map>
#include <set>
#include <vector>

#include "bip37/bloom_filter.h"
#include "sync/scan/scanned_block.h"

namespace spv::sync {

class FilterSlices {
 public:
  /// Blocks in a stretch, at most: a restart begins the stretch again.
  static constexpr chain::Height kStretch = 2'000;
  /// What waits for the last pass, at most: with more the stretch ends early.
  static constexpr std::size_t kMaxHeldBytes = 8'000'000;

  /// Shares `elements` out into slices of about `capacity`, for the blocks from `first` on, up to `last` at most.
  void begin(chain::Height first, chain::Height last, std::vector<util::Bytes> elements, std::size_t capacity);
  /// Forgets everything.
  void clear() { *this = {}; }
  /// Goes on with the next slice at the first block; false if this was the last.
  bool next();

  [[nodiscard]] bool active() const { return !slices_.empty(); }
  [[nodiscard]] std::size_t count() const { return slices_.size(); }
  [[nodiscard]] std::size_t pass() const { return pass_; }
  /// Answers wait for a later pass.
  [[nodiscard]] bool holds() const { return pass_ + 1 < slices_.size(); }
  [[nodiscard]] chain::Height first() const { return first_; }
  [[nodiscard]] chain::Height last() const { return last_; }
  /// The stretch ends earlier than it was begun for.
  [[nodiscard]] bool was_cut() const { return was_cut_; }
  /// Of the present slice.
  [[nodiscard]] const std::vector<util::Bytes>& elements() const { return slices_[pass_]; }
  /// A filter was made of them, the same one whenever it is made; every filter of the pass holds what it holds.
  void on_planned(const bip37::BloomFilter& filter);

  /// What a transaction pays to scripts of the present slice is a coin from now on, for every filter of the pass.
  void note_coins(const ProvenTransaction& proven);
  /// Those of this pass.
  [[nodiscard]] const std::set<chain::OutPoint>& coins() const { return coins_; }
  [[nodiscard]] bool spends_coin(const chain::Transaction& tx) const;
  /// True if every honest peer matches it in this pass, so that one which leaves it out lies.
  [[nodiscard]] bool covers(const ProvenTransaction& proven) const;

  /// What one pass found in a block.
  struct Part {
    std::size_t pass = 0;
    ScannedBlock block;
  };
  /// Keeps the answer of a pass that is not the last, without witnesses, which no proof is for.
  void hold(ScannedBlock block);
  [[nodiscard]] bool has_found(chain::Height height) const { return held_.contains(height); }
  /// What earlier passes found in this block.
  [[nodiscard]] std::vector<Part> take(chain::Height height);
  /// True if the present pass or one before it must have matched this, and is not among those that did.
  [[nodiscard]] bool was_left_out(const ProvenTransaction& proven, const std::set<std::size_t>& passes) const;
  /// The block came in the present pass. Where much was found the stretch ends with it, so that the rest is scanned
  /// with fresh filters.
  void on_block(chain::Height height);
  /// The stretch ends with this block.
  void cut(chain::Height last);
  /// Two peers gave the block alike in one pass; true once they have in every one.
  [[nodiscard]] bool attest(chain::Height height);

 private:
  [[nodiscard]] const bip37::BloomFilter* planned() const;

  std::vector<std::vector<util::Bytes>> slices_;
  std::size_t pass_ = 0;
  chain::Height first_ = 0;
  chain::Height last_ = -1;
  bool was_cut_ = false;
  std::size_t most_coins_ = 0;               // in one pass, before the stretch ends
  std::vector<bip37::BloomFilter> planned_;  // for every slice up to the present one
  std::set<chain::OutPoint> coins_;          // of the present slice
  std::map<chain::Height, std::vector<Part>> held_;
  std::size_t held_bytes_ = 0;
  std::map<chain::Height, std::size_t> attested_;  // in so many passes
};

}  // namespace spv::sync
