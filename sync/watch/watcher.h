// Watcher: the narrow door between the engine and the wallets that it serves: "what do you watch?" and "this happened".
// Facts go in; what they change in the wallets waits there until take_changes() fetches it for a commit.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "chain/transaction.h"
#include "chain/types.h"
#include "sync/types/types.h"
#include "util/bytes.h"
#include "util/time.h"
#include "wallet/records.h"

namespace spv::chain {
class HeaderChain;
}

namespace spv::sync {

using wallet::Conflict;

/// A transaction that spends from us alone and waits for a block.
struct OwnTransaction {
  chain::Txid txid;
  chain::Transaction tx;
  chain::Height seen_at = 0;  // of the best chain when it was last seen
  bool untaken = false;       // made here, and no peer is known to have taken it
};

/// Where all wallets together stand: what the scan begins with.
struct Standing {
  /// All blocks from the birthday to this one are scanned, but for those owed.
  chain::BlockRef scanned_to;
  std::optional<wallet::HeightRange> owed;
  /// The first block to scan; or the date that becomes one.
  chain::Height birthday = 0;
  std::optional<util::UnixTime> birthday_time = std::nullopt;
};

/// A fact: blocks were scanned since the last such fact.
struct BlocksScanned {
  chain::BlockRef to;      // the highest one that counts
  std::uint32_t time = 0;  // of that one, by its header
  chain::Height next = 0;  // all below are scanned; what lies between here and `to` is still owed
  // Blocks among them, or scanned before, that need not be believed any more.
  std::vector<chain::Height> by_two;  // two peers gave it alike
  std::vector<chain::Height> whole;   // it came whole
};

/// What a transaction, or a reorganisation, changed in the wallets.
struct WatchEffect {
  /// What the user is told: transactions that pay a wallet or spend from it, each once.
  std::vector<TransactionSeen> seen;
  /// More scripts are watched than before: all from this block on must be scanned for them.
  std::optional<chain::Height> widened_from;
  /// Something is to be committed, if only a stranger's transaction that conflicts with one of ours.
  bool changed = false;

  [[nodiscard]] bool empty() const { return !changed && !widened_from; }
  /// Adds what came later; of a transaction that is in both, what is said last.
  void merge(const WatchEffect& later);
};

class Watcher {
 public:
  Watcher() = default;
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;
  virtual ~Watcher() = default;

  // --- what do you watch? ---------------------------------------------------------------------------------------
  /// Every filter element, in a fixed order: the scripts' pushes, then the outpoints.
  [[nodiscard]] virtual std::vector<util::Bytes> filter_elements() const = 0;
  /// The same for blocks that are matched here: whole scripts, and outpoints. There may be tens of millions of scripts,
  /// so they are shown one after the other.
  using VisitScript = std::function<void(util::ByteView)>;
  virtual void each_script(const VisitScript& visit) const = 0;
  [[nodiscard]] virtual std::size_t script_count() const = 0;
  [[nodiscard]] virtual std::vector<chain::OutPoint> watched_outpoints() const = 0;
  [[nodiscard]] virtual wallet::FilterIdentity filter_identity() const = 0;
  [[nodiscard]] virtual Standing standing() const = 0;
  [[nodiscard]] virtual bool is_relevant(const chain::Transaction& tx) const = 0;
  [[nodiscard]] virtual const chain::Transaction* find(const chain::Txid& txid) const = 0;
  /// What a transaction adds to (or takes from) what is owned.
  [[nodiscard]] virtual chain::Amount net_of(const chain::Transaction& tx) const = 0;
  /// All that are conflicted now. Linear in the number of transactions.
  [[nodiscard]] virtual std::vector<Conflict> conflicts() const = 0;
  /// Those that count and that a node would take, parents first. Linear in the number of transactions.
  [[nodiscard]] virtual std::vector<OwnTransaction> own_pending() const = 0;

  // --- this happened --------------------------------------------------------------------------------------------
  virtual WatchEffect on_confirmed(const chain::Transaction& tx, const wallet::Confirmation& confirmation,
                                   util::ByteView proof, util::UnixTime now) = 0;
  virtual WatchEffect on_unconfirmed(const chain::Transaction& tx, util::UnixTime now) = 0;
  /// The best chain has this height; it may be ahead of the scan.
  virtual void on_tip(chain::Height height) = 0;
  virtual void on_scanned(const BlocksScanned& blocks) = 0;
  /// So many peers have the highest block that is scanned.
  virtual void on_witnessed(std::uint32_t peers) = 0;
  /// These scanned blocks, the highest among them, must be scanned again.
  virtual void on_owed(const wallet::HeightRange& blocks) = 0;
  /// The best chain has left the one that was scanned.
  virtual WatchEffect on_disconnected_above(const chain::BlockRef& fork) = 0;
  /// The best chain is known, or other wallets are watched: those that were away find their place on it.
  virtual WatchEffect on_chain_known(const chain::HeaderChain& chain) = 0;
  /// The earliest birthday that was given as a date is this height.
  virtual void on_birthday(chain::Height height) = 0;

  /// Grows whenever a transaction changes.
  [[nodiscard]] virtual std::uint64_t version() const = 0;
  /// What is to be committed, wallet by wallet, since the last call.
  [[nodiscard]] virtual std::vector<MemberChanges> take_changes() = 0;
};

}  // namespace spv::sync
