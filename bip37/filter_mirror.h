// What the peer's copy of our filter holds now: the node's own matching replayed over what it delivers.
#pragma once

#include "bip37/bloom_filter.h"
#include "chain/transaction.h"

namespace spv::bip37 {

class FilterMirror {
 public:
  explicit FilterMirror(BloomFilter loaded) : filter_(std::move(loaded)) {}

  /// Replays a transaction that the node delivered. False: it does not match what we loaded, so the node is
  /// faulty or its filter has seen something that we have not (loose transactions).
  bool replay(const chain::Transaction& tx, const chain::Txid& txid);
  /// The false positive rate of the peer's filter as it is now.
  [[nodiscard]] double fp_rate() const { return filter_.fp_rate(); }
  [[nodiscard]] const BloomFilter& filter() const { return filter_; }

 private:
  BloomFilter filter_;
};

}  // namespace spv::bip37
