// FilterIndex: the basic block filters of a FakeNode's blocks and the chain of their headers, as a node with
// -blockfilterindex has them; on every branch. Or those of a liar, whose filters and headers agree with each other.
#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include "bip158/basic_filter.h"
#include "chain/transaction.h"
#include "tests/support/chain_builder.h"

namespace spv::test {

/// Changes which scripts go into the filter of a block.
using FilterForge = std::function<void(const Block& block, std::vector<util::Bytes>& scripts)>;

class FilterIndex {
 public:
  struct Entry {
    chain::Height height = 0;
    chain::BlockHash block;
    const Entry* previous = nullptr;  // none at genesis
    util::Bytes filter;
    util::FilterHash hash;
    util::FilterHeader header;

    /// The entry at this height of the same branch, not above this one.
    [[nodiscard]] const Entry& ancestor(chain::Height at) const;
  };

  explicit FilterIndex(FilterForge forge = {}) : forge_(std::move(forge)) {}
  // Entries refer to each other.
  FilterIndex(const FilterIndex&) = delete;
  FilterIndex& operator=(const FilterIndex&) = delete;
  FilterIndex(FilterIndex&&) = default;
  FilterIndex& operator=(FilterIndex&&) = default;

  [[nodiscard]] const Entry* find(const chain::BlockHash& block) const;
  /// The block that it follows is there already, unless it is genesis. An output that no block of its branch made has
  /// no script.
  const Entry& add(const Block& block);

 private:
  struct Made {
    const Entry* in = nullptr;
    util::Bytes script;
  };

  [[nodiscard]] const util::Bytes* script_of(const chain::OutPoint& outpoint, const Entry& spender) const;
  [[nodiscard]] std::vector<util::Bytes> scripts_of(const Block& block, const Entry& entry) const;

  FilterForge forge_;
  std::unordered_map<chain::BlockHash, Entry> entries_;
  std::unordered_multimap<chain::OutPoint, Made> outputs_;
};

}  // namespace spv::test
