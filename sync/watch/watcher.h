// Watcher: the narrow door between the engine and the wallets it serves: "what do you watch?" and "this happened".
// One wallet stands behind it today; a group of many can.
#pragma once

#include <optional>
#include <vector>

#include "chain/transaction.h"
#include "chain/types.h"
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
};

class Watcher {
 public:
  Watcher() = default;
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;
  virtual ~Watcher() = default;

  /// Every filter element, in a fixed order: the scripts' pushes, then the outpoints.
  [[nodiscard]] virtual std::vector<util::Bytes> filter_elements() const = 0;
  /// The same for blocks that are matched here: whole scripts, and outpoints.
  [[nodiscard]] virtual std::vector<util::Bytes> watched_scripts() const = 0;
  [[nodiscard]] virtual std::vector<chain::OutPoint> watched_outpoints() const = 0;
  [[nodiscard]] virtual wallet::FilterIdentity filter_identity() const = 0;
  [[nodiscard]] virtual const wallet::ScanState& scan() const = 0;
  [[nodiscard]] virtual const wallet::WalletConfig& config() const = 0;
  [[nodiscard]] virtual bool is_relevant(const chain::Transaction& tx) const = 0;
  [[nodiscard]] virtual const chain::Transaction* find(const chain::Txid& txid) const = 0;
  /// What a transaction adds to (or takes from) what is owned.
  [[nodiscard]] virtual chain::Amount net_of(const chain::Transaction& tx) const = 0;
  /// All that are conflicted now. Linear in the number of transactions.
  [[nodiscard]] virtual std::vector<Conflict> conflicts() const = 0;

  /// Those that count and that a node would take, parents first. Linear in the number of transactions.
  [[nodiscard]] virtual std::vector<OwnTransaction> own_pending() const { return {}; }

  virtual wallet::Changes on_confirmed(const chain::Transaction& tx, const wallet::Confirmation& confirmation,
                                       util::ByteView proof, util::UnixTime now) = 0;
  virtual wallet::Changes on_unconfirmed(const chain::Transaction& tx, util::UnixTime now) = 0;
  /// The height of the best chain known, which may be ahead of the scan.
  virtual void note_tip(chain::Height height) = 0;
  /// The best chain is known, or who stands behind this has changed: wallets that were away find their place on it.
  virtual wallet::Changes align(const chain::HeaderChain&) { return {}; }
  /// The first block that is owed to the scripts that were added last.
  [[nodiscard]] virtual chain::Height widened_from() const { return config().birthday; }
  virtual wallet::Changes on_disconnected_above(const chain::BlockRef& fork) = 0;
  virtual wallet::Changes set_scan(wallet::ScanState scan) = 0;
  /// A birthday that was given as a date is this height.
  virtual wallet::Changes set_birthday(chain::Height height) = 0;
};

}  // namespace spv::sync
