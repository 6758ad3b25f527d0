// WalletRouter: which wallets of many a transaction may concern, by one hash lookup an output and an input. It never
// misses one; what it names by chance the wallet itself sorts out.
#pragma once

#include <functional>
#include <vector>

#include "chain/transaction.h"
#include "sync/types/types.h"
#include "sync/watch/member_table.h"
#include "sync/watch/watch_set.h"
#include "util/rng.h"

namespace spv::sync {

class WalletRouter {
 public:
  explicit WalletRouter(util::Rng rng) : fingerprints_(rng) {}

  /// Makes room for so many scripts more.
  void reserve(std::size_t scripts) { table_.reserve(scripts); }
  void add_script(util::ByteView script, MemberId member) { table_.add(fingerprints_.of_any_script(script), member); }
  void remove_script(util::ByteView script, MemberId member) {
    table_.remove(fingerprints_.of_any_script(script), member);
  }
  using IsOwn = std::function<bool(util::ByteView script)>;
  /// A transaction that a wallet holds: what spends its own outputs in it, or the same inputs, concerns that wallet
  /// too.
  void add_transaction(const chain::Transaction& tx, const chain::Txid& txid, MemberId member, const IsOwn& is_own);
  void remove_transaction(const chain::Transaction& tx, const chain::Txid& txid, MemberId member, const IsOwn& is_own);
  /// Ascending, each once.
  [[nodiscard]] std::vector<MemberId> route(const chain::Transaction& tx) const;
  /// The wallets that hold a transaction; ascending, each once.
  [[nodiscard]] std::vector<MemberId> holders(const chain::Txid& txid) const;
  [[nodiscard]] std::size_t size() const { return table_.size(); }

 private:
  /// Calls `each` with all fingerprints of a transaction that is held.
  template <typename Each>
  void of_held(const chain::Transaction& tx, const chain::Txid& txid, const IsOwn& is_own, Each each) const;

  WatchSet fingerprints_;  // for its keyed hash
  MemberTable table_;
};

}  // namespace spv::sync
