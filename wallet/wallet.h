// Wallet: the one door to everything a wallet knows. It is told what happened and answers what it holds; it does
// no I/O, and every change comes back as a value for the store.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "chain/transaction.h"
#include "chain/types.h"
#include "util/expected.h"
#include "util/time.h"
#include "wallet/balance.h"
#include "wallet/history.h"
#include "wallet/key_ring.h"
#include "wallet/ledger.h"
#include "wallet/orphans.h"
#include "wallet/own_payment.h"
#include "wallet/records.h"
#include "wallet/teller.h"

namespace spv::wallet {

/// Why no address is given.
enum class NoAddress {
  NoneLeft,  // the wallet has no such chain, or going on would leave the gap limit behind
  Damaged,   // the stored script is not the one that the descriptor gives: what is paid to either may be lost
};

class Wallet {
 public:
  /// Every own outpoint that was spent stays watched for this many blocks, so that a reorganisation is seen.
  static constexpr chain::Height kReorganisationDepth = 100;

  Wallet(WalletConfig config, WalletState state);
  /// The state of a wallet that has seen nothing: look-ahead watched, scan before the birthday.
  static WalletState fresh_state(const WalletConfig& config);

  [[nodiscard]] const WalletConfig& config() const { return config_; }
  [[nodiscard]] const ScanState& scan() const { return scan_; }

  // --- what to watch -------------------------------------------------------------------------------------
  /// The filter element of every watched script, in a fixed order; one for each, never two for one key.
  [[nodiscard]] std::vector<util::Bytes> watched_elements() const;
  /// Every element of the wallet's filter: those, then the outpoints.
  [[nodiscard]] std::vector<util::Bytes> filter_elements() const;
  /// Calls `visit` with every watched script, chain by chain.
  template <typename Visit>
  void each_script(const Visit& visit) const {
    for (std::size_t chain = 0; chain < keys_.chain_count(); ++chain) {
      const ScriptList& scripts = keys_.scripts(chain);
      for (std::size_t index = 0; index < scripts.size(); ++index) {
        if (!scripts[index].empty()) visit(scripts[index]);
      }
    }
  }
  /// How many those are at most.
  [[nodiscard]] std::size_t script_count() const;
  /// Every watched script, chain by chain. A copy: each_script() needs none.
  [[nodiscard]] std::vector<util::Bytes> watched_scripts() const;
  [[nodiscard]] bool watches(util::ByteView script) const { return keys_.find(script).has_value(); }
  /// Own outpoints: unspent, pending, spent within the last 100 blocks; and the inputs of pending incoming
  /// transactions, so that a double spend that pays someone else is seen. In a fixed order.
  [[nodiscard]] std::vector<chain::OutPoint> watched_outpoints() const;
  /// Pays a script of ours, spends an output of ours, or conflicts with a transaction that we hold.
  [[nodiscard]] bool is_relevant(const chain::Transaction& tx) const;
  /// Pays a script of ours or spends an output of ours: not what only conflicts with one that does.
  [[nodiscard]] bool is_own(const chain::Transaction& tx) const;
  [[nodiscard]] bool knows(const chain::Txid& txid) const;
  [[nodiscard]] const TxRecord* find(const chain::Txid& txid) const;
  /// All that is held, in the order of arrival: also what only conflicts with a transaction of ours.
  [[nodiscard]] const std::deque<TxRecord>& transactions() const { return ledger_.records(); }
  /// True if none of them waits for a block.
  [[nodiscard]] bool all_confirmed() const { return ledger_.all_confirmed(); }

  // --- what happened -------------------------------------------------------------------------------------
  /// A transaction proven to be in a block of the best chain. One that is irrelevant changes nothing now, but a
  /// bounded number is remembered and taken up if a later call makes it relevant: its parent, or a wider window.
  Changes apply_confirmed(const chain::Transaction& tx, const Confirmation& confirmation, util::ByteView proof,
                          util::UnixTime now);
  /// A transaction seen outside a block. Never takes a confirmation away.
  Changes apply_unconfirmed(const chain::Transaction& tx, util::UnixTime now);
  /// Blocks above `fork` have left the best chain: their transactions are unconfirmed again (coinbases drop out
  /// of every sum), and the scan goes back to `fork`.
  Changes disconnect_above(const chain::BlockRef& fork);
  /// The height of the best chain known, ahead of the scan: what is seen outside a block from now on is as new as this.
  void note_tip(chain::Height height) { known_tip_ = height; }
  /// What became of transactions and was not told yet; to be committed with all that came before. Nothing while blocks
  /// are missing: a sum may be wrong until the parents are known.
  Changes tell();
  /// All blocks are scanned, as far as the chain is known.
  [[nodiscard]] bool is_caught_up() const;
  /// Whether it was told that the wallet is synced, since it was added or rescanned; and that it is told now.
  [[nodiscard]] bool synced() const { return synced_; }
  Changes note_synced();
  /// The blocks from this one on are to be scanned again; at most as many as are scanned.
  Changes rescan(chain::Height from);
  /// Replaces the scan state. Anchors known before stay, those given are added; a bounded number is kept.
  Changes set_scan(ScanState scan);
  /// The same for one of many wallets that move together.
  Changes set_scan(ScanState scan, AnchorUpdates& together);

  /// A birthday that was given as a date is this height; the scan of a wallet that has seen nothing starts there.
  Changes set_birthday(chain::Height height);
  /// Once after loading: marks what the held transactions use of chains that share a script. Earlier versions marked
  /// one of the chains only. If more scripts are watched then, all blocks from the birthday on are owed.
  Changes mark_shared_scripts();
  /// Once after loading: the scripts that were derived because they were not stored. Later ones come with the step that
  /// needs them.
  [[nodiscard]] Changes take_derived();

  // --- payments of our own ----------------------------------------------------------------------------------
  /// Stores a finished transaction of ours, or takes up one that is held, and reserves its coins: commit before the
  /// first byte about it leaves. Refused if it spends what it must not, see refusal_of(); then nothing is changed.
  [[nodiscard]] util::Expected<Changes, PaymentError> add_own(const chain::Transaction& tx, SendState state,
                                                              util::UnixTime now, const OwnPaymentTerms& terms = {});
  /// Whether the wallet made a transaction or pays for all of it, so that add_own() is to keep it.
  [[nodiscard]] bool is_payment(const chain::Transaction& tx) const;
  /// The unconfirmed payment whose place it takes, if it does; see replaced_payment().
  [[nodiscard]] std::optional<chain::Txid> replaced_payment(const chain::Transaction& tx) const;
  /// What became of it. Evidence is never taken back: `accepted` stays, and of the others what tells less is no news.
  /// Neither for what is confirmed, nor for what the user has abandoned: add_own() takes that up again.
  Changes set_send_state(const chain::Txid& txid, SendState state, std::uint32_t peers_accepted = 0);
  /// Gives up a transaction that nobody took, and what spends from it: their coins are free again. If a peer or a block
  /// tells of it later, it counts again.
  [[nodiscard]] util::Expected<Changes, PaymentError> abandon(const chain::Txid& txid);
  /// The coins that the user keeps from being spent, as they are stored now.
  void set_frozen(std::vector<chain::OutPoint> frozen) { frozen_ = {frozen.begin(), frozen.end()}; }

  // --- what it holds; all computed from the transactions ----------------------------------------------------
  [[nodiscard]] Balance balance() const;
  /// The same for the store, see Changes::balance.
  [[nodiscard]] CountedBalance counted_balance() const;
  [[nodiscard]] std::vector<Coin> coins() const;
  /// Our transactions, newest first; see history_of().
  [[nodiscard]] std::vector<HistoryEntry> history() const;
  /// The same of one transaction that is held, ours or not. Linear.
  [[nodiscard]] std::optional<HistoryEntry> entry(const chain::Txid& txid) const;
  /// Our transactions that count nowhere, in the order of arrival.
  [[nodiscard]] std::vector<Conflict> conflicts() const;

  /// What a transaction adds to (or takes from) what we own.
  [[nodiscard]] chain::Amount net_of(const chain::Transaction& tx) const;

  // --- addresses ------------------------------------------------------------------------------------------
  struct Issued {
    ScriptEntry entry;
    Changes changes;  // commit before showing
  };
  /// The first unused script never issued before (`advance`), or the current one: the one last issued while it is
  /// unused, else the next, which counts as issued from then on (see KeyRing::issue).
  [[nodiscard]] util::Expected<Issued, NoAddress> issue_address(bool change, bool advance);
  /// The same of one chain.
  [[nodiscard]] util::Expected<Issued, NoAddress> issue_address_of(std::size_t chain, bool advance);
  /// The first script never issued before, whatever the gap limit; see KeyRing::issue_next. Where that makes more
  /// scripts watched, `changes.scripts` has them: filters that were loaded before lack them.
  [[nodiscard]] util::Expected<Issued, NoAddress> issue_next_address(bool change);
  /// Another program with the same keys uses the scripts of a chain up to this index: they count as handed out. Where
  /// that makes more scripts watched, the blocks that were scanned without them are to be scanned again.
  Changes hand_out_to(const KeyId& id);
  /// The first script of a chain that was neither used nor handed out, for change: the transaction that pays it makes
  /// it used. NoneLeft where all that are watched are.
  [[nodiscard]] util::Expected<ScriptEntry, NoAddress> next_script(std::size_t chain) const;
  /// Another process has handed out the addresses of a chain below this index.
  void note_issued(std::size_t chain, std::uint32_t next_unissued) { keys_.note_issued(chain, next_unissued); }
  /// All scripts up to the last used or issued one of each chain (and at least the first).
  [[nodiscard]] util::Expected<std::vector<ScriptEntry>, NoAddress> addresses();
  /// The watched scripts of a chain by index; empty for the one index in 2^127 that has none.
  [[nodiscard]] const ScriptList& scripts(std::size_t chain) const { return keys_.scripts(chain); }
  /// How many scripts of a chain are watched: the indexes below this.
  [[nodiscard]] std::uint32_t watched(std::size_t chain) const { return keys_.state(chain).watched; }
  [[nodiscard]] std::string path_of(std::size_t chain, std::uint32_t index) const;
  /// Which of ours a script is, if its descriptor gives it: what is stored is not enough for those who pay.
  [[nodiscard]] std::optional<KeyId> key_of(util::ByteView script) const;

 private:
  util::Expected<Issued, NoAddress> issued_of(std::size_t chain, const std::optional<KeyRing::Issue>& issue);
  Changes apply(TxRecord seen);
  void adopt(const TxRecord& record, Changes& changes, std::vector<TxRecord>& todo);
  bool mark_used(const chain::Transaction& tx, Changes& changes);
  void mark_all_used(Changes& changes);
  void note_chain(std::size_t chain, Changes& changes) const;
  void note_scripts(std::size_t chain, Changes& changes);
  [[nodiscard]] bool pays_us(const chain::Transaction& tx) const;
  [[nodiscard]] Books books() const;
  [[nodiscard]] chain::Height newest_height() const;

  WalletConfig config_;
  KeyRing keys_;
  Ledger ledger_;
  Orphans orphans_;
  ScanState scan_;
  chain::Height known_tip_ = 0;
  std::set<chain::OutPoint> frozen_;
  Teller teller_;
  bool synced_ = false;
};

}  // namespace spv::wallet
