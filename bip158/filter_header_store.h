// Where the filter headers of the best chain's blocks are kept (BIP157), beside the block headers.
#pragma once

#include <span>
#include <vector>

#include "chain/types.h"
#include "util/hash256.h"

namespace spv::bip158 {

/// One line of filter headers from base_height() up to tip_height(); it may be empty. Only what was verified is put in.
class FilterHeaderStore {
 public:
  FilterHeaderStore() = default;
  FilterHeaderStore(const FilterHeaderStore&) = delete;
  FilterHeaderStore& operator=(const FilterHeaderStore&) = delete;
  virtual ~FilterHeaderStore() = default;

  /// The height of the first one.
  [[nodiscard]] virtual chain::Height base_height() const = 0;
  /// The height of the last one; base_height() - 1 if there is none.
  [[nodiscard]] virtual chain::Height tip_height() const = 0;
  /// base_height() <= height <= tip_height().
  [[nodiscard]] virtual util::FilterHeader at(chain::Height height) const = 0;
  /// Replaces everything above `fork` (from base_height() - 1 to tip_height()) by `headers`, in one step that a crash
  /// cannot halve.
  virtual void replace_above(chain::Height fork, std::span<const util::FilterHeader> headers) = 0;
};

/// Keeps everything in memory: for tests, simulations and processes that may not write the file.
class MemoryFilterHeaders final : public FilterHeaderStore {
 public:
  explicit MemoryFilterHeaders(chain::Height base_height) : base_height_(base_height) {}

  [[nodiscard]] chain::Height base_height() const override { return base_height_; }
  [[nodiscard]] chain::Height tip_height() const override {
    return base_height_ + static_cast<chain::Height>(headers_.size()) - 1;
  }
  [[nodiscard]] util::FilterHeader at(chain::Height height) const override;
  void replace_above(chain::Height fork, std::span<const util::FilterHeader> headers) override;

 private:
  chain::Height base_height_;
  std::vector<util::FilterHeader> headers_;
};

}  // namespace spv::bip158
