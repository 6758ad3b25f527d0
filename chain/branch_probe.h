// BranchProbe: a branch that leaves the best chain too far below to be held before it has shown its work. Its headers
// are checked, summed and let go, all but one hash a batch; once the sum is enough they are fetched a second time, and
// those hashes prove that they are the same (docs/adr/0002-header-spam.md).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "chain/block_header.h"
#include "chain/header_rules.h"
#include "chain/types.h"
#include "chain/uint256.h"

namespace spv::chain {

class BranchProbe {
 public:
  /// So many hashes are kept: four million headers. A branch that has not shown its work by then never will.
  static constexpr std::size_t kMaxMarks = 2'048;

  /// The branch leaves the best chain at `fork`, up to which that has `fork_work`, and was checked up to `tip`.
  BranchProbe(const BlockRef& fork, const Uint256& fork_work, const BlockRef& tip, const Uint256& branch_work,
              const HeaderContext& context)
      : fork_(fork), work_(fork_work + branch_work), context_(context), marks_{tip} {}

  [[nodiscard]] Height fork_height() const { return fork_.height; }
  /// Of the whole chain up to the branch's tip.
  [[nodiscard]] const Uint256& work() const { return work_; }
  [[nodiscard]] const BlockRef& tip() const { return marks_.back(); }
  /// Of the header that follows the tip.
  [[nodiscard]] const HeaderContext& context() const { return context_; }
  /// The headers are fetched the second time.
  [[nodiscard]] bool is_fetching() const { return fetching_; }
  /// The block whose successors are to be sent next.
  [[nodiscard]] BlockHash next_after() const;

  /// First time: headers that were found valid lead up to `tip`. False if there were too many.
  bool extend(const BlockRef& tip, const Uint256& added_work, const HeaderContext& context);
  /// The work is enough: from now on the headers are fetched again.
  void start_fetching() { fetching_ = true; }
  /// Second time; what lies above the tip is not looked at. False if they are not the headers that were shown.
  bool fetch(std::span<const BlockHeader> headers);
  /// All headers from above the fork to the tip, once the second time is through.
  [[nodiscard]] std::optional<std::vector<BlockHeader>> take_headers();

 private:
  BlockRef fork_;
  Uint256 work_;
  HeaderContext context_;
  std::vector<BlockRef> marks_;
  bool fetching_ = false;
  std::vector<BlockHeader> headers_;  // fetched the second time
  BlockHash last_hash_;               // of the last of these
  std::size_t next_mark_ = 0;
};

}  // namespace spv::chain
