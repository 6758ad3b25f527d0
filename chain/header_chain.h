// HeaderChain: the most-work chain of headers, every rule of the network checked before a header counts.
// The best chain is in a HeaderStore; side branches are held here, bounded, and forgotten when they lose.
//
// A branch beside the best chain is held up to two batches a source; a longer one is only summed up and fetched again
// when it has shown more work (BranchProbe). One that would undo more than a hundred blocks which this client began
// with, or which two sources have sent, waits until a second source sends it too.
//
// Below the last checkpoint nothing is stored that a checkpoint above it has not shown to be true: headers wait as a
// branch until the next checkpoint is reached. So a chain of little work from far below costs no disk, and memory for
// the distance of two checkpoints and a batch (docs/adr/0002-header-spam.md).
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "chain/block_header.h"
#include "chain/branch_probe.h"
#include "chain/header_error.h"
#include "chain/header_rules.h"
#include "chain/header_store.h"
#include "chain/params.h"
#include "chain/pow.h"
#include "chain/side_branches.h"
#include "chain/types.h"
#include "chain/uint256.h"
#include "util/time.h"

namespace spv::chain {

/// Who sent a batch.
struct Sender {
  SourceId id = 0;
  /// There is nobody else who could agree with it: its word is enough for a deep reorganisation.
  bool is_sole = true;
};

/// A branch with more work that waits for a second source, because it would undo many blocks.
struct HeldBranch {
  Height fork_height = 0;
  BlockRef tip;
  friend bool operator==(const HeldBranch&, const HeldBranch&) = default;
};

/// What one accepted batch changed.
struct ChainUpdate {
  /// Headers that were new to us (on whichever branch).
  std::size_t added = 0;
  /// The best chain changed: it now leaves the old one at this height (== old tip height for a plain extension).
  std::optional<Height> fork_height;
  /// Tip before the update, and now.
  BlockRef old_tip;
  BlockRef new_tip;
  /// The last header of the batch that is known now, on whichever branch: where to ask on from.
  BlockRef last;
  /// Set if the batch leads up to a branch that waits for a second source.
  std::optional<HeldBranch> held;
  /// Set while a long branch is summed up or fetched again: the sender is to be asked for what follows this block.
  std::optional<BlockHash> ask_after;
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
  /// `params` and `store` outlive the chain. A store that begins above genesis begins with a period's first block.
  /// A stored chain that lacks a checkpoint is cut back to the last one that it has.
  HeaderChain(const NetworkParams& params, HeaderStore& store, const BranchLimits& limits = {});

  /// Takes a batch that continues any known branch. All valid headers before the first bad one are kept; the
  /// error is for the first bad one. Most work wins; at equal work the first seen stays.
  AcceptResult accept(std::span<const BlockHeader> headers, util::UnixTime now, Sender sender = {});
  /// The source is gone: what only it stands for is let go.
  void forget(SourceId source);

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
  /// The source's headers are only summed up for now: what follows is asked for one batch after the other.
  [[nodiscard]] bool is_probing(SourceId source) const { return probes_.contains(source); }
  /// The branches held beside the best chain.
  [[nodiscard]] const SideBranches& side_branches() const { return branches_; }

 private:
  /// A known block: on a side branch, or on the best chain if there is none.
  struct Place {
    std::optional<std::size_t> branch;
    Height height = 0;
  };
  /// The valid headers at the start of a batch.
  struct Run {
    std::size_t count = 0;
    BlockHash tip_hash;
    Uint256 work;
    std::optional<HeaderError> error;
  };

  void leave_untrue_chain();
  [[nodiscard]] std::optional<Place> locate(const BlockHash& hash) const;
  [[nodiscard]] std::optional<Place> known_child(const Place& parent, const BlockHeader& header) const;
  [[nodiscard]] BlockHash hash_of(const Place& place) const;
  [[nodiscard]] HeaderContext context_of(const Place& place) const;
  /// The highest checkpoint at or below a height, or the base.
  [[nodiscard]] Height checkpoint_below(Height tip) const;
  /// How far a valid branch up to `tip` may be stored: all of it above the last checkpoint of the network.
  [[nodiscard]] Height proven_below(Height tip) const;
  /// The last one that the best chain contains.
  [[nodiscard]] Height last_checkpoint() const { return checkpoint_below(height()); }
  [[nodiscard]] std::optional<HeaderError> check(const HeaderContext& context, const BlockHeader& header,
                                                 const BlockHash& hash, util::UnixTime now);
  Run validate(HeaderContext& context, const BlockHash& parent, std::span<const BlockHeader> headers,
               util::UnixTime now);
  /// A source has sent what we know already.
  void notice(const Place& place, Sender sender, ChainUpdate& update);
  std::optional<HeaderError> extend_best(std::span<const BlockHeader> headers, util::UnixTime now, Sender sender,
                                         ChainUpdate& update);
  std::optional<HeaderError> extend_branch(const Place& parent, std::span<const BlockHeader> headers,
                                           util::UnixTime now, Sender sender, ChainUpdate& update);
  std::optional<HeaderError> keep(const Place& parent, std::span<const BlockHeader> headers, const Run& run,
                                  const HeaderContext& context, Sender sender, ChainUpdate& update);
  /// Makes a branch the best chain, as far as it is proven, if it wins. `context` is that of its tip.
  void promote(std::size_t branch, const HeaderContext& context, bool is_sole, ChainUpdate& update);
  std::size_t grow_branch(const Place& parent, std::span<const BlockHeader> headers, const Run& run, SourceId source);
  [[nodiscard]] Uint256 work_of(std::span<const BlockHeader> headers);
  /// The work of the chain with these headers above `fork`, if that is more than now.
  [[nodiscard]] std::optional<Uint256> work_with(Height fork, std::span<const BlockHeader> headers,
                                                 bool even_if_lighter);
  [[nodiscard]] bool is_lighter(const Branch& a, const Branch& b);
  /// Two sources stand for it, or it undoes nothing that counts as settled.
  [[nodiscard]] bool is_agreed(const Branch& branch);
  void reorganise(std::size_t branch, const Uint256& tip_work, ChainUpdate& update);
  void note_shown(SourceId source, Height height);

  std::size_t drop_lightest(SourceId owner, const BlockHash& current_tip);
  std::optional<HeaderError> limit(SourceId source, const BlockHash& current_tip, const HeaderContext& context);
  /// Sums a branch up from now on instead of holding it.
  void start_probe(std::size_t branch, const HeaderContext& context);
  std::optional<HeaderError> accept_probed(std::span<const BlockHeader> headers, util::UnixTime now, Sender sender,
                                           ChainUpdate& update);
  void finish_probe(Sender sender, ChainUpdate& update);

  const NetworkParams& params_;
  HeaderStore& store_;
  SideBranches branches_;
  TargetCache targets_;
  HeaderContext tip_context_;
  std::map<SourceId, BranchProbe> probes_;
  std::map<SourceId, std::size_t> dropped_;  // branches let go since the source last brought us forward
  std::map<SourceId, Height> shown_;         // how far each source has sent the best chain
  Height settled_;                           // up to here it was there at the start, or two sources have sent it
};

}  // namespace spv::chain
