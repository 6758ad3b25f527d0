// WalletRouter: which wallets of many a transaction may concern, by one hash lookup an output and an input. It never
// misses one; what it names by chance the wallet itself sorts out.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
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
  using IsOwn = std::function<bool(util::ByteView script)>;
  /// A transaction that a wallet holds: what spends its own outputs in it, or the same inputs, concerns that wallet
  /// too.
  void add_transaction(const chain::Transaction& tx, const chain::Txid& txid, MemberId member, const IsOwn& is_own);
  void remove(MemberId member);
  /// Ascending, each once.
  [[nodiscard]] std::vector<MemberId> route(const chain::Transaction& tx) const;
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  void add(WatchSet::Fingerprint fingerprint, MemberId member);
  void collect(WatchSet::Fingerprint fingerprint, std::vector<MemberId>& out) const;

  struct SharedHash {
    std::size_t operator()(const std::pair<WatchSet::Fingerprint, MemberId>& entry) const {
      return entry.first ^ (std::uint64_t{entry.second} * 0x9E37'79B9'7F4A'7C15U);  // the first is under a secret key
    }
  };

  WatchSet fingerprints_;  // for its keyed hash
  std::unordered_multimap<WatchSet::Fingerprint, MemberId> entries_;
  /// Those whose fingerprint several wallets share, such as the inputs of a payment to thousands: looked up, not
  /// searched.
  std::unordered_set<std::pair<WatchSet::Fingerprint, MemberId>, SharedHash> shared_;
};

}  // namespace spv::sync
