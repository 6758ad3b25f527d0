// What a wallet is made of, as plain values: what the store reads and writes and what the queries return.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chain/transaction.h"
#include "chain/types.h"
#include "util/bytes.h"
#include "util/time.h"
#include "wallet/anchors.h"
#include "wallet/attestation.h"
#include "wallet/confirmation.h"
#include "wallet/counted_balance.h"
#include "wallet/descriptor.h"
#include "wallet/script_list.h"
#include "wallet/tx_event.h"
#include "wallet/tx_state.h"

namespace spv::wallet {

/// Default of --gap-limit.
inline constexpr std::uint32_t kDefaultGapLimit = 20;
/// The look-ahead is this many gap limits.
inline constexpr std::uint32_t kLookAheadFactor = 10;
/// Nodes take no transaction with more unconfirmed ones before it.
inline constexpr std::uint32_t kMaxAncestors = 24;

/// A transaction of ours and where it stands. Whether it conflicts is computed, not stored.
struct TxRecord {
  chain::Txid txid;
  chain::Transaction tx;
  std::optional<Confirmation> confirmation;  // absent: unconfirmed
  util::UnixTime first_seen = 0;
  /// Grows with each sighting outside a block: of two unconfirmed that conflict, the later seen counts.
  std::uint64_t sequence = 0;
  util::Bytes proof;  // the merkleblock payload that proves the confirmation
  /// Of the best chain known when it was last seen outside a block, or the block that a reorganisation took it from.
  chain::Height seen_at = 0;
  std::optional<Sending> sending = std::nullopt;  // only of one that this wallet made
  friend bool operator==(const TxRecord&, const TxRecord&) = default;
};

/// How far one descriptor has been used, handed out and watched.
struct KeyChainState {
  std::uint32_t watched = 0;               // scripts 0..watched-1 are watched
  std::optional<std::uint32_t> last_used;  // highest index seen in a transaction
  std::uint32_t next_unissued = 0;         // lowest index never handed out by `address --new`
  friend bool operator==(const KeyChainState&, const KeyChainState&) = default;
};

/// One descriptor of a wallet.
struct KeyChainConfig {
  Descriptor descriptor;
  bool change = false;
};

struct HeightRange {
  chain::Height from = 0;
  chain::Height to = -1;  // inclusive
  friend bool operator==(const HeightRange&, const HeightRange&) = default;
};

/// What has been scanned. A block counts only if it was asked for under a filter that held every script and own
/// outpoint known below it.
struct ScanState {
  /// All blocks from the birthday to this one are scanned, but for `backfill`.
  chain::BlockRef scanned_to;
  /// Blocks at or below scanned_to that must be asked again, because scripts are watched now that were not then.
  std::optional<HeightRange> backfill;
  /// Where a reorganisation that we did not see happen is found again.
  Anchors anchors;
  /// On whose word the scanned blocks rest.
  Attestation attested = {};
  /// How many peers have said that scanned_to is on their best chain.
  std::uint32_t peers = 0;
  /// When scanned_to was made by its header; zero: not known.
  std::uint32_t time = 0;
  friend bool operator==(const ScanState&, const ScanState&) = default;
};

/// The filter parameters that stay the same for the wallet's life (security.md, P2, P3).
struct FilterIdentity {
  std::uint32_t tweak = 0;
  std::uint64_t decoy_seed = 0;
  friend bool operator==(const FilterIdentity&, const FilterIdentity&) = default;
};

/// What does not change after a wallet is made, but for a birthday that was a date.
struct WalletConfig {
  chain::Network network = chain::Network::Regtest;
  std::vector<KeyChainConfig> key_chains;
  std::uint32_t gap_limit = kDefaultGapLimit;
  /// The first block to scan.
  chain::Height birthday = 0;
  /// A birthday given as a date: the first sync turns it into a height (Wallet::set_birthday) and it is gone.
  std::optional<util::UnixTime> birthday_time = std::nullopt;
  FilterIdentity filter;
};

/// What does.
struct WalletState {
  std::vector<KeyChainState> key_chains;  // as many as in the config
  std::vector<TxRecord> transactions;
  ScanState scan;
  std::vector<chain::OutPoint> frozen = {};  // coins that the user keeps from being spent
  std::vector<Told> told = {};               // about each transaction, the last event
  bool synced = false;                       // that it is synced was told since it was added or rescanned
  /// The scripts of each key chain from index 0 on, as far as they are stored: the others are derived. To add or
  /// replace a key chain, give none for it.
  std::vector<ScriptList> scripts = {};
};

/// What one step changed and must be committed in one database transaction.
struct Changes {
  std::vector<TxRecord> transactions;  // new or moved
  struct KeyChainChange {
    std::size_t chain = 0;
    KeyChainState state;
  };
  std::vector<KeyChainChange> key_chains;
  std::optional<ScanState> scan;
  /// More scripts are watched than before: blocks scanned without them must be scanned again.
  bool widened = false;
  /// The birthday is known as a height now; `birthday_time` is dropped.
  std::optional<chain::Height> birthday = std::nullopt;
  std::vector<TxEvent> events = {};           // what those who follow the wallet are told, in order
  std::optional<bool> synced = std::nullopt;  // of the state; true is told with it
  /// Derived and not stored yet, at most one entry for each chain. They follow those that are stored.
  std::vector<ChainScripts> scripts = {};
  /// Of the wallet once all of this is committed. It takes a look at every transaction, so only some commits have it.
  std::optional<CountedBalance> balance = std::nullopt;

  [[nodiscard]] bool tells() const { return !events.empty() || synced; }
  [[nodiscard]] bool empty() const {
    return transactions.empty() && key_chains.empty() && !scan && !birthday && !tells() && scripts.empty() && !balance;
  }
  /// Adds a later step's changes to these; the later value of the same thing wins.
  void merge(Changes later);
};

/// An unspent output of ours (spent neither by a confirmed nor by an active unconfirmed transaction).
struct Coin {
  chain::OutPoint outpoint;
  chain::Amount value = 0;
  util::Bytes script;
  std::size_t chain = 0;    // key chain of the wallet
  std::uint32_t index = 0;  // index within it
  std::optional<chain::Height> height;
  bool coinbase = false;
  std::uint32_t confirmations = 0;
  bool spendable = false;  // confirmed, mature if a coinbase output, neither frozen nor reserved
  bool frozen = false;
  bool reserved = false;  // a transaction of this wallet's making spends it, even if that one does not count now
  /// Unconfirmed, and rests on nobody's word: this wallet made its transaction and all unconfirmed ones before it, of
  /// its own coins only, and peers took them.
  bool own_change = false;
  /// Unconfirmed transactions that come before one that spends it; at most kMaxAncestors + 1. Known of own_change only.
  std::uint32_t ancestors = 0;
};

/// A transaction that counts no longer, and the one that counts instead, if one that is held does.
struct Conflict {
  chain::Txid txid;
  std::optional<chain::Txid> replaced_by;
};

/// A transaction that pays the wallet or spends from it.
struct HistoryEntry {
  chain::Txid txid;
  std::optional<Confirmation> confirmation;
  util::UnixTime first_seen = 0;
  chain::Amount net = 0;
  std::optional<chain::Amount> fee;  // known where every input is ours
  std::uint32_t confirmations = 0;
  TxStatus status = TxStatus::Unconfirmed;
  SetApart set_apart = SetApart::No;
  /// The transaction that counts instead, if one that is held does; it need not be one of the wallet's.
  std::optional<chain::Txid> replaced_by = std::nullopt;
  std::optional<Sending> sending = std::nullopt;
};

/// One script of the wallet, as `spv address` and `spv addresses` show it.
struct ScriptEntry {
  std::size_t chain = 0;
  std::uint32_t index = 0;
  util::Bytes script;
  bool used = false;
  chain::Amount received = 0;
};

}  // namespace spv::wallet
