#include "store/postgres/event_table.h"

#include <algorithm>
#include <limits>

#include "store/checks.h"
#include "store/event_codec.h"
#include "store/postgres/event_sql.h"
#include "store/postgres/transaction.h"

namespace spv::store::postgres {

std::vector<LoggedEvent> read_events(Connection& connection, Seq after, std::size_t limit,
                                     const std::optional<std::string>& wallet) {
  constexpr std::size_t kMost = std::numeric_limits<std::int64_t>::max();
  Params params = Params().bigint(after).bigint(static_cast<std::int64_t>(std::min(limit, kMost)));
  if (wallet) params.text(*wallet);
  const Result rows = connection.run(wallet ? sql::kEventsOf : sql::kEvents, params);
  std::vector<LoggedEvent> out;
  out.reserve(rows.rows());
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    out.push_back({.seq = rows.bigint(row, 0),
                   .wallet = std::string(rows.text(row, 1)),
                   .time = rows.bigint(row, 2),
                   .data = decode_event(rows.bytea(row, 3))});
  }
  return out;
}

Seq newest_event(Connection& connection) {
  const Result row = connection.run(sql::kNewest);
  require_sound(row.rows() == 1, "the counter of events");
  return row.bigint(0, 0);
}

std::optional<Seq> oldest_event(Connection& connection) {
  const Result row = connection.run(sql::kOldest);
  require_sound(row.rows() == 1, "the counter of events");
  return row.optional_bigint(0, 0);
}

void prune_events(Connection& connection, util::UnixTime before) {
  run_transaction(connection, {{sql::kPrune, Params().bigint(before)}, {sql::kForgetNames, {}}});
}

Seq consumer_position(Connection& connection, const std::string& consumer) {
  const Result row = connection.run(sql::kPosition, Params().text(consumer));
  return row.empty() ? 0 : row.bigint(0, 0);
}

void acknowledge(Connection& connection, const std::string& consumer, Seq seq) {
  connection.run(sql::kAcknowledge, Params().text(consumer).bigint(seq));
}

}  // namespace spv::store::postgres
