// Headers that are valid but not on the best chain, held in memory until they win or are forgotten. Each belongs to
// the source that sent it last, and each source has its own limits: nobody's spam pushes out what another one sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "chain/block_header.h"
#include "chain/types.h"

namespace spv::chain {

/// Who sent headers: whatever number the caller knows a peer by.
using SourceId = std::uint32_t;
/// Owns the branches that were our best chain once.
inline constexpr SourceId kOurselves = 0xFFFF'FFFF;

/// How much memory side branches may take, and for how long.
struct BranchLimits {
  /// Of one source.
  std::size_t branches = 8;
  /// In all branches of one source: two batches, 80 bytes each.
  std::size_t headers = 4'032;
  /// So many branches of one source are let go before it counts as spam.
  std::size_t dropped = 64;
  /// A branch is forgotten when the best chain has grown by this much since the branch last did.
  Height forget_after = 288;
  /// A reorganisation that undoes more blocks than this waits for a second source.
  Height deep = 100;
};

/// One line of headers from a block of the best chain upwards; never empty.
struct Branch {
  Height fork = 0;  // height of the block on the best chain from which it leaves
  std::vector<BlockHeader> headers;
  BlockHash tip_hash;
  Height touched = 0;                  // height of the best chain when the branch last grew
  SourceId owner = 0;                  // who extended it last
  std::map<SourceId, Height> shown{};  // how far each source has sent it
  bool awaits_agreement = false;       // it would win, and waits for a second source

  [[nodiscard]] Height tip_height() const { return fork + static_cast<Height>(headers.size()); }
  /// fork < height <= tip_height().
  [[nodiscard]] const BlockHeader& at(Height height) const {
    return headers[static_cast<std::size_t>(height - fork - 1)];
  }
  [[nodiscard]] bool has(Height height) const { return height > fork && height <= tip_height(); }
  [[nodiscard]] BlockHash hash_at(Height height) const {
    return height == tip_height() ? tip_hash : at(height + 1).previous;
  }
  /// The headers above the fork up to a height, which may be below the fork.
  [[nodiscard]] std::span<const BlockHeader> up_to(Height height) const {
    return std::span(headers).first(height > fork ? static_cast<std::size_t>(height - fork) : 0);
  }
};

/// The height up to which at least two sources have sent headers, by how far each has; -1 if there is one or none.
Height second_highest(const std::map<SourceId, Height>& shown);

/// Branches that share their first headers hold a copy each: that keeps every one complete on its own.
class SideBranches {
 public:
  /// A place on a branch: its index and a height.
  struct Place {
    std::size_t branch = 0;
    Height height = 0;
  };
  /// True if the first branch comes to less work than the second.
  using Lighter = std::function<bool(const Branch&, const Branch&)>;

  explicit SideBranches(const BranchLimits& limits) : limits_(limits) {}

  [[nodiscard]] const BranchLimits& limits() const { return limits_; }
  [[nodiscard]] const std::vector<Branch>& all() const { return branches_; }
  [[nodiscard]] Branch& at(std::size_t index) { return branches_[index]; }
  [[nodiscard]] std::optional<Place> find(const BlockHash& hash) const;
  /// A branch that has exactly this header at this height.
  [[nodiscard]] std::optional<Place> find(Height height, const BlockHeader& header) const;

  /// Adds a branch and returns its index.
  std::size_t add(Branch branch);
  /// Shortens a branch to `height`, above its fork; what it loses is a branch on top of it.
  std::optional<Branch> cut(std::size_t index, Height height);
  /// Takes a branch out.
  Branch take(std::size_t index);
  /// After the best chain left `old_best` (which starts above `fork`) for `new_best`: branches that stood on the old
  /// one get its part as their first headers, and those that stand on the new one lose what they share with it. What
  /// waited for agreement waits no longer: it stands against another chain now.
  void rebase(Height fork, std::span<const BlockHeader> old_best, std::span<const BlockHeader> new_best);
  /// Drops branches that fork below `checkpoint`, or that the best chain, now at `height`, has left behind.
  void forget(Height height, Height checkpoint);
  /// Drops what a source owns, but for what awaits agreement: that has shown its work.
  void forget(SourceId owner);
  /// Drops the lightest branches of a source until its limits hold, but not the one with this tip and none that awaits
  /// agreement; returns how many had to go.
  std::size_t enforce_limits(SourceId owner, const BlockHash& current_tip, const Lighter& lighter);

 private:
  [[nodiscard]] bool over_limits(SourceId owner) const;

  BranchLimits limits_;
  std::vector<Branch> branches_;
};

}  // namespace spv::chain
