// EventRows: events for the log, as commands for the end of a transaction.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "store/logged_event.h"
#include "store/postgres/connection.h"
#include "util/bytes.h"

namespace spv::store::postgres {

class EventRows {
 public:
  /// In this order. An event of the chain has no wallet.
  void add(std::optional<std::int64_t> wallet, const EventData& event);
  void add_tx(std::int64_t wallet, const wallet::TxEvent& event);
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  /// Numbers and stores them, and wakes those who wait. Last in a transaction: the counter is held until the commit,
  /// and all others wait for it.
  void put(std::vector<Command>& out, util::UnixTime now) const;

 private:
  /// The columns that people query, and all of it as bytes.
  struct Row {
    std::optional<std::int64_t> wallet;
    std::string_view type;
    std::optional<chain::Txid> txid = std::nullopt;
    std::optional<std::string_view> state = std::nullopt;
    std::optional<chain::Amount> net = std::nullopt;
    std::optional<chain::Height> block_height = std::nullopt;
    std::optional<chain::BlockHash> block_hash = std::nullopt;
    std::optional<std::uint32_t> block_time = std::nullopt;
    std::optional<chain::BlockHash> old_hash = std::nullopt;
    util::Bytes data;
  };
  void fill(Row& row, const wallet::TxEvent& event);
  void fill(Row& row, const TipEvent& event);
  void fill(Row& row, const ReorgEvent& event);
  void fill(Row& row, const WalletEvent& event);

  std::vector<Row> rows_;
};

}  // namespace spv::store::postgres
