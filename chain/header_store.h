// Where the best chain's headers are kept. The chain's rules and its side branches live in HeaderChain;
// a store holds one line of consecutive 80-byte headers and the work below its tip.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "chain/block_header.h"
#include "chain/types.h"
#include "chain/uint256.h"

namespace spv::chain {

/// One line of headers from `base_height()` up to `tip_height()`; never empty: it starts with a trusted header.
class HeaderStore {
 public:
  HeaderStore() = default;
  HeaderStore(const HeaderStore&) = delete;
  HeaderStore& operator=(const HeaderStore&) = delete;
  virtual ~HeaderStore() = default;

  [[nodiscard]] virtual Height base_height() const = 0;
  [[nodiscard]] virtual Height tip_height() const = 0;
  /// base_height() <= height <= tip_height().
  [[nodiscard]] virtual BlockHeader at(Height height) const = 0;
  /// The hash of a stored header: its successor's `previous` field, or the kept tip hash. Costs no
  /// more than one hash, where a store checks what it reads.
  [[nodiscard]] virtual BlockHash hash_at(Height height) const = 0;
  /// The height of the stored header with this hash, searched from the tip down.
  [[nodiscard]] virtual std::optional<Height> find(const BlockHash& hash) const;
  /// Work of all blocks from genesis to the tip, the tip included.
  [[nodiscard]] virtual Uint256 tip_work() const = 0;
  /// Replaces everything above `fork` by `headers`, in one step that a crash cannot halve. `tip_hash` and
  /// `tip_work` belong to the last of `headers` (or to `fork` if there are none).
  virtual void replace_above(Height fork, std::span<const BlockHeader> headers, const BlockHash& tip_hash,
                             const Uint256& tip_work) = 0;
};

/// Keeps everything in memory: for tests, simulations and processes that may not write the file.
class MemoryHeaderStore final : public HeaderStore {
 public:
  MemoryHeaderStore(Height base_height, const BlockHeader& base, const Uint256& base_work);

  [[nodiscard]] Height base_height() const override { return base_height_; }
  [[nodiscard]] Height tip_height() const override;
  [[nodiscard]] BlockHeader at(Height height) const override;
  [[nodiscard]] BlockHash hash_at(Height height) const override;
  [[nodiscard]] Uint256 tip_work() const override { return tip_work_; }
  void replace_above(Height fork, std::span<const BlockHeader> headers, const BlockHash& tip_hash,
                     const Uint256& tip_work) override;

 private:
  Height base_height_;
  std::vector<BlockHeader> headers_;
  BlockHash tip_hash_;
  Uint256 tip_work_;
};

}  // namespace spv::chain
