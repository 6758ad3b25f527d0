// Orphans: transactions that meant nothing to the wallet when they came, kept for a while in case that what makes
// them ours (a parent, a rival, a wider window of scripts) comes later. Bounded, and never stored.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "chain/transaction.h"
#include "wallet/records.h"

namespace spv::wallet {

class Orphans {
 public:
  static constexpr std::size_t kMaxCount = 100;
  static constexpr std::size_t kMaxBytes = 1'000'000;

  /// Keeps a sighting; the oldest ones make room.
  void add(TxRecord record);
  /// Takes out those that spend this outpoint.
  std::vector<TxRecord> take_spenders(const chain::OutPoint& outpoint);
  /// Takes out those that the predicate picks.
  std::vector<TxRecord> take_if(const std::function<bool(const chain::Transaction&)>& picks);
  /// Blocks above `height` have left the chain: who stood there is unconfirmed now, as if seen now, and a coinbase
  /// is gone.
  void disconnect_above(chain::Height height, const std::function<std::uint64_t()>& next_sequence);
  [[nodiscard]] std::size_t size() const { return by_arrival_.size(); }

 private:
  struct Entry {
    TxRecord record;
    std::size_t bytes = 0;
  };
  using Arrival = std::uint64_t;

  void insert(TxRecord record);
  TxRecord remove(Arrival arrival);

  std::map<Arrival, Entry> by_arrival_;
  std::map<chain::Txid, Arrival> by_txid_;
  std::multimap<chain::OutPoint, Arrival> by_input_;
  std::size_t bytes_ = 0;
  Arrival next_arrival_ = 0;
};

}  // namespace spv::wallet
