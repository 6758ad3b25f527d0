// Ledger: the transactions of a wallet and where each stands. Only facts are kept; which of two conflicting
// transactions counts is computed on reading, so the same facts in any order give the same answers.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "chain/transaction.h"
#include "wallet/records.h"

namespace spv::wallet {

/// Blocks without news after which an unconfirmed transaction counts no longer: two weeks, as nodes keep them. Anybody
/// can make one up that no node has, and it must neither promise nor hide coins for ever. One that this wallet made is
/// known to be sound, and stays until it confirms, another one does instead, or the user abandons it.
inline constexpr chain::Height kForgetAfter = 2016;

/// Which held transactions spend which outpoints, by their places.
using Spenders = std::multimap<chain::OutPoint, std::size_t>;

/// The places in a part of Spenders. A view of the standard library would do, but clang 14 does not take that of
/// g++ 12.
class SpenderPlaces {
 public:
  class Iterator {
   public:
    explicit Iterator(Spenders::const_iterator at) : at_(at) {}
    std::size_t operator*() const { return at_->second; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    Spenders::const_iterator at_;
  };

  explicit SpenderPlaces(std::pair<Spenders::const_iterator, Spenders::const_iterator> part) : part_(part) {}
  [[nodiscard]] Iterator begin() const { return Iterator(part_.first); }
  [[nodiscard]] Iterator end() const { return Iterator(part_.second); }

 private:
  std::pair<Spenders::const_iterator, Spenders::const_iterator> part_;
};

/// Where a record stands, and if it counts nowhere why, and which one counts instead.
struct Verdict {
  TxStatus status = TxStatus::Unconfirmed;
  SetApart reason = SetApart::No;
  std::optional<std::size_t> rival = std::nullopt;  // its place
};

class Ledger {
 public:
  explicit Ledger(std::vector<TxRecord> records);

  /// In the order of arrival; a record keeps its place and its address for ever.
  [[nodiscard]] const std::deque<TxRecord>& records() const { return records_; }
  [[nodiscard]] const TxRecord* find(const chain::Txid& txid) const;
  /// Of one that is held.
  [[nodiscard]] std::size_t place_of(const chain::Txid& txid) const { return by_txid_.at(txid); }
  /// The output that an outpoint names, if its transaction is held and has it.
  [[nodiscard]] const chain::TxOutput* output(const chain::OutPoint& outpoint) const;
  /// Places of the held transactions that spend this outpoint.
  [[nodiscard]] SpenderPlaces spenders(const chain::OutPoint& outpoint) const {
    return SpenderPlaces(spenders_.equal_range(outpoint));
  }
  /// Places of those that spend any output of a transaction.
  [[nodiscard]] SpenderPlaces children(const chain::Txid& txid) const;
  [[nodiscard]] bool is_spent(const chain::OutPoint& outpoint) const { return spenders_.contains(outpoint); }

  /// True if nothing that is held waits for a block: then nothing conflicts, and blocks alone change nothing.
  [[nodiscard]] bool all_confirmed() const { return unconfirmed_ == 0; }

  /// The number of the next sighting outside a block.
  std::uint64_t next_sequence() { return next_sequence_++; }
  /// Adds a sighting, or what is new in it to the record that is held; null if that is nothing.
  const TxRecord* record(TxRecord seen);
  /// Makes every transaction above `height` unconfirmed, as if seen now in chain order; returns them.
  std::vector<TxRecord> disconnect_above(chain::Height height);
  /// Notes how far one that is held has got. One that goes out now counts as seen now.
  const TxRecord& set_sending(const chain::Txid& txid, const Sending& sending);

  /// Where each record stands, by place, once the blocks up to `scanned` are known. A confirmed one is never
  /// conflicted. An unconfirmed one is if it is a coinbase, forgotten or locked, if a confirmed one spends an input of
  /// it, if of those that spend the same outpoint and are not ruled out so another was seen later, or if it descends
  /// from a conflicted one. Linear.
  [[nodiscard]] std::vector<TxStatus> statuses(chain::Height scanned) const;
  /// The same with reasons. One whose coin another transaction spends is conflicted for as long as that one counts;
  /// only what has no such rival, nor descends from what has, can be forgotten. Linear.
  [[nodiscard]] std::vector<Verdict> verdicts(chain::Height scanned) const;
  /// Which records reserve the coins that they spend, by place: those of our own making that may still confirm, so
  /// neither abandoned nor ruled out by a confirmed transaction. That another one counts instead is no reason to free
  /// their coins: either may confirm, and a coin that was used again would pay twice or leave a payment without it.
  [[nodiscard]] std::vector<bool> reserving() const;
  /// What of itself, not of its rivals and parents, sets an unconfirmed transaction apart.
  [[nodiscard]] SetApart set_apart(const TxRecord& record, chain::Height scanned) const;

 private:
  void index(std::size_t place);
  [[nodiscard]] bool is_contested(std::size_t place) const;
  [[nodiscard]] std::vector<TxStatus> by_blocks() const;
  [[nodiscard]] std::vector<std::size_t> outspent() const;
  [[nodiscard]] std::vector<std::size_t> ruled_out(chain::Height scanned) const;
  [[nodiscard]] bool is_locked(const TxRecord& record, chain::Height scanned) const;
  [[nodiscard]] std::vector<std::size_t> replaced(const std::vector<TxStatus>& status) const;
  void spread_conflict(std::vector<std::size_t> roots, std::vector<TxStatus>& status) const;
  void note_rivals(std::vector<Verdict>& verdicts) const;
  void note_reasons(chain::Height scanned, std::vector<Verdict>& verdicts) const;
  void spread_reason(SetApart reason, std::vector<Verdict>& verdicts) const;

  std::deque<TxRecord> records_;
  std::unordered_map<chain::Txid, std::size_t> by_txid_;
  // Ordered: whoever makes transactions chooses these keys, and could make a hash table slow.
  Spenders spenders_;
  std::uint64_t next_sequence_ = 1;
  std::size_t unconfirmed_ = 0;  // records
};

/// Adds to a record what another sighting of the same transaction knows more: a witness, a confirmation, a proof,
/// a later sequence, that a peer or a block has what we made. Says whether anything changed.
bool absorb(TxRecord& held, TxRecord seen);

}  // namespace spv::wallet
