// A chain as a process knows it, for what a store tells of it.
#pragma once

#include <vector>

#include "store/chain_view.h"

namespace spv::test {

class SampleChain {
 public:
  /// Blocks 0 to `height`.
  explicit SampleChain(chain::Height height) { grow(height + 1); }
  SampleChain& grow(int blocks, std::uint8_t branch = 0) {
    for (int i = 0; i < blocks; ++i) {
      chain::BlockHash hash;
      const auto height = static_cast<std::uint32_t>(hashes_.size());
      hash.bytes[0] = static_cast<std::uint8_t>(height);
      hash.bytes[1] = static_cast<std::uint8_t>(height >> 8U);
      hash.bytes[2] = branch;
      hash.bytes[31] = 1;
      hashes_.push_back(hash);
    }
    return *this;
  }
  /// Another branch from this block on, which it keeps.
  SampleChain& leave_at(chain::Height fork, int blocks, std::uint8_t branch) {
    hashes_.resize(static_cast<std::size_t>(fork) + 1);
    return grow(blocks, branch);
  }
  /// Nothing is known below this.
  SampleChain& begin_at(chain::Height base) {
    base_ = base;
    return *this;
  }
  [[nodiscard]] chain::Height height() const { return static_cast<chain::Height>(hashes_.size()) - 1; }
  [[nodiscard]] chain::BlockHash hash(chain::Height height) const {
    return hashes_.at(static_cast<std::size_t>(height));
  }
  [[nodiscard]] chain::BlockRef tip() const { return {.height = height(), .hash = hashes_.back()}; }
  [[nodiscard]] store::ChainView view() const {
    return {.tip = tip(),
            .work = static_cast<std::uint64_t>(hashes_.size()),
            .hash_at = [*this](chain::Height at) -> std::optional<chain::BlockHash> {
              if (at < base_ || at > height()) return std::nullopt;
              return hash(at);
            }};
  }

 private:
  std::vector<chain::BlockHash> hashes_;
  chain::Height base_ = 0;
};

}  // namespace spv::test
