// HeaderChain: the most-work chain of headers, every rule of the network checked before a header counts.
// The best chain is in a HeaderStore; side branches are held here, bounded, and forgotten when they lose.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "chain/block_header.h"
#include "chain/header_store.h"
#include "chain/params.h"
#include "chain/types.h"
#include "chain/uint256.h"
#include "util/time.h"

namespace spv::chain {

/// Why a header was not taken.
enum class HeaderError {
  Empty,
  NotContinuous,   // a header does not follow the one before it in the batch
  Unconnected,     // the first header's parent is unknown
  BadProofOfWork,  // hash above target, or a target that is zero, negative, overflowing or above the limit
  BadDifficulty,   // bits are not what the rules require here
  TimeTooOld,      // at or below the median of the eleven before
  TimeWarp,        // BIP94: a period's first block too far before its predecessor
  TimeTooNew,      // over two hours into the future: not a fault, try again later
  BadVersion,      // obsolete version after BIP34/66/65
  CheckpointMismatch,
  BelowCheckpoint,  // a branch that forks below the last checkpoint passed
  TooManyBranches,  // memory for side branches is used up
};
std::string_view to_string(HeaderError error);

/// What one accepted batch changed.
struct ChainUpdate {
  /// Headers that were new to us (on whichever branch).
  std::size_t added = 0;
  /// The best chain changed: it now leaves the old one at this height (== old tip height for a plain extension).
  std::optional<Height> fork_height;
  /// Tip before the update, and now.
  BlockRef old_tip;
  BlockRef new_tip;
  [[nodiscard]] bool tip_changed() const { return !(old_tip == new_tip); }
  /// True if blocks of the old best chain were left.
  [[nodiscard]] bool is_reorganisation() const { return fork_height && *fork_height < old_tip.height; }
};

/// What a batch came to: the valid headers before the first bad one count, so both may be there.
struct AcceptResult {
  ChainUpdate update;
  std::optional<HeaderError> error;
};

class HeaderChain {
 public:
  /// `store` outlives the chain.
  HeaderChain(const NetworkParams& params, HeaderStore& store);

  /// Takes a batch that continues any known branch. All valid headers before the first bad one are kept; the
  /// error is for the first bad one. Most work wins; at equal work the first seen stays.
  AcceptResult accept(std::span<const BlockHeader> headers, util::UnixTime now);

  [[nodiscard]] BlockRef tip() const;
  [[nodiscard]] Height height() const { return store_.tip_height(); }
  [[nodiscard]] Height base_height() const { return store_.base_height(); }
  [[nodiscard]] Uint256 work() const { return store_.tip_work(); }
  [[nodiscard]] bool has_minimum_work() const;
  /// Of the best chain; nothing outside base_height()..height().
  [[nodiscard]] std::optional<BlockHeader> at(Height height) const;
  [[nodiscard]] std::optional<BlockHash> hash_at(Height height) const;
  /// The height of a block of the best chain. Quick near the tip, linear from it.
  [[nodiscard]] std::optional<Height> find(const BlockHash& hash) const;
  /// True if the block is known on the best chain or on a held branch.
  [[nodiscard]] bool knows(const BlockHash& hash) const;
  /// Hashes for getheaders: ten recent ones, then doubling steps, then the base; at most 101.
  [[nodiscard]] std::vector<BlockHash> locator() const;
  [[nodiscard]] const NetworkParams& params() const { return params_; }

 private:
  const NetworkParams& params_;
  HeaderStore& store_;
};

}  // namespace spv::chain
