// Headers that are valid but not on the best chain, held in memory within limits until they win or are forgotten.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "chain/block_header.h"
#include "chain/types.h"

namespace spv::chain {

/// How much memory side branches may take, and for how long.
struct BranchLimits {
  std::size_t branches = 32;
  /// In all branches together: 80 bytes each.
  std::size_t headers = 20'000;
  /// A branch is forgotten when the best chain has grown by this much since the branch last did.
  Height forget_after = 288;
};

/// One line of headers from a block of the best chain upwards; never empty.
struct Branch {
  Height fork = 0;  // height of the block on the best chain from which it leaves
  std::vector<BlockHeader> headers;
  BlockHash tip_hash;
  Height touched = 0;  // height of the best chain when the branch last grew

  [[nodiscard]] Height tip_height() const { return fork + static_cast<Height>(headers.size()); }
  /// fork < height <= tip_height().
  [[nodiscard]] const BlockHeader& at(Height height) const {
    return headers[static_cast<std::size_t>(height - fork - 1)];
  }
  [[nodiscard]] bool has(Height height) const { return height > fork && height <= tip_height(); }
  [[nodiscard]] BlockHash hash_at(Height height) const {
    return height == tip_height() ? tip_hash : at(height + 1).previous;
  }
};

/// Branches that share their first headers hold a copy each: that keeps every one complete on its own.
class SideBranches {
 public:
  /// A place on a branch: its index and a height.
  struct Place {
    std::size_t branch = 0;
    Height height = 0;
  };
  explicit SideBranches(const BranchLimits& limits) : limits_(limits) {}

  [[nodiscard]] const std::vector<Branch>& all() const { return branches_; }
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
  /// one get its part as their first headers, and those that stand on the new one lose what they share with it.
  void rebase(Height fork, std::span<const BlockHeader> old_best, std::span<const BlockHeader> new_best);
  /// Drops branches that fork below `checkpoint`, or that the best chain, now at `height`, has left behind.
  void forget(Height height, Height checkpoint);
  /// Drops the branches with the lowest tips until the limits hold; false if the one with this tip had to go.
  bool enforce_limits(const BlockHash& current_tip);

 private:
  [[nodiscard]] bool over_limits() const;

  BranchLimits limits_;
  std::vector<Branch> branches_;
};

}  // namespace spv::chain
