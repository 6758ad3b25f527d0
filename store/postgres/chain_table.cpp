#include "store/postgres/chain_table.h"

#include "store/checks.h"
#include "store/postgres/columns.h"
#include "store/postgres/event_rows.h"
#include "store/postgres/event_sql.h"
#include "store/postgres/transaction.h"

namespace spv::store::postgres {
namespace {

std::optional<ToldTip> read_tip(Connection& connection) {
  const Result row = connection.run(sql::kToldTip);
  if (row.empty()) return std::nullopt;
  return checked_tip(row.integer(0, 0), row.bytea(0, 1), row.text(0, 2));
}

std::vector<chain::BlockRef> read_blocks(Connection& connection) {
  const Result rows = connection.run(sql::kToldBlocks);
  std::vector<chain::BlockRef> out;
  out.reserve(rows.rows());
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    out.push_back(checked_block(rows.integer(row, 0), rows.bytea(row, 1)));
  }
  return out;
}

void keep_chain(std::vector<Command>& out, const ChainView& view, chain::Height above) {
  const auto blocks = blocks_above(view, above);
  out.push_back({sql::kForgetBlocks, Params().integer(above).integer(view.tip.height - kToldBlocks)});
  out.push_back({sql::kKeepBlocks,
                 Params()
                     .integers(column<std::int32_t>(blocks, [](const auto& block) { return block.height; }))
                     .byteas(column<util::ByteView>(blocks, [](const auto& block) { return block.hash.view(); }))});
  out.push_back(
      {sql::kKeepTip, Params().integer(view.tip.height).bytea(view.tip.hash.view()).text(view.work.to_hex())});
}

}  // namespace

void tell_tip(Connection& connection, const ChainView& view, util::UnixTime now) {
  // A look keeps nobody waiting.
  if (!is_news(view, read_tip(connection))) return;
  Transaction transaction(connection);
  // The counter first: two processes that have come to a block at once go one after the other.
  require_sound(connection.run(sql::kLockCounter).rows() == 1, "the counter of events");
  const auto told = read_tip(connection);
  if (!is_news(view, told)) return;
  std::optional<chain::Height> fork;
  if (told && !is_on_chain(view, told->block)) fork = fork_below(view, read_blocks(connection));
  std::vector<Command> commands;
  keep_chain(commands, view, fork ? *fork : told ? told->block.height : -1);
  EventRows events;
  for (const auto& event : chain_events(view, told, fork)) events.add(std::nullopt, event);
  events.put(commands, now);
  transaction.commit(std::move(commands));
}

}  // namespace spv::store::postgres
