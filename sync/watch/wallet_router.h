// WalletRouter: which wallets of many a transaction may concern, by one hash lookup an output and an input. It never
// misses one; what it names by chance the wallet itself sorts out.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "chain/transaction.h"
#include "sync/types/types.h"
#include "sync/watch/watch_set.h"
#include "util/rng.h"

namespace spv::sync {

class WalletRouter {
 public:
  explicit WalletRouter(util::Rng rng) : fingerprints_(rng) {}

  void add_script(util::ByteView script, MemberId member) { add(fingerprints_.of_any_script(script), member); }
  /// A transaction that a wallet holds: what spends its outputs or its inputs concerns that wallet too.
  void add_transaction(const chain::Transaction& tx, const chain::Txid& txid, MemberId member);
  void remove(MemberId member);
  /// Ascending, each once.
  [[nodiscard]] std::vector<MemberId> route(const chain::Transaction& tx) const;
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  void add(WatchSet::Fingerprint fingerprint, MemberId member);
  void collect(WatchSet::Fingerprint fingerprint, std::vector<MemberId>& out) const;

  WatchSet fingerprints_;  // for its keyed hash
  std::unordered_multimap<WatchSet::Fingerprint, MemberId> entries_;
};

}  // namespace spv::sync
