#include "store/postgres/event_rows.h"

#include "store/event_codec.h"
#include "store/postgres/columns.h"
#include "store/postgres/commit_sql.h"
#include "store/postgres/notices.h"

namespace spv::store::postgres {

void EventRows::add_tx(std::int64_t wallet, const wallet::TxEvent& event) {
  Row& row = rows_.emplace_back();
  row.wallet = wallet;
  row.data = encode_event(event);
  fill(row, event);
}

void EventRows::add(std::optional<std::int64_t> wallet, const EventData& event) {
  Row& row = rows_.emplace_back();
  row.wallet = wallet;
  row.data = encode_event(event);
  std::visit([&](const auto& told) { fill(row, told); }, event);
}

void EventRows::fill(Row& row, const wallet::TxEvent& event) {
  row.type = "tx";
  row.txid = event.txid;
  row.state = to_string(event.state);
  row.net = event.net;
  if (!event.confirmation) return;
  row.block_height = event.confirmation->block.height;
  row.block_hash = event.confirmation->block.hash;
  row.block_time = event.confirmation->block_time;
}

void EventRows::fill(Row& row, const TipEvent& event) {
  row.type = "tip";
  row.block_height = event.block.height;
  row.block_hash = event.block.hash;
}

void EventRows::fill(Row& row, const ReorgEvent& event) {
  row.type = "reorg";
  row.block_height = event.fork_height;
  row.block_hash = event.to;
  row.old_hash = event.from;
}

void EventRows::fill(Row& row, const WalletEvent& event) {
  row.type = "wallet";
  row.state = to_string(event.state);
}

void EventRows::put(std::vector<Command>& out, util::UnixTime now) const {
  if (rows_.empty()) return;
  Params params;
  params.bigint(static_cast<std::int64_t>(rows_.size())).bigint(now);
  params.bigints(column<std::int64_t>(rows_, [](const Row& row) { return row.wallet; }));
  params.texts(column<std::string_view>(rows_, [](const Row& row) { return row.type; }));
  params.byteas(column<util::ByteView>(rows_, [](const Row& row) { return view_of(row.txid); }));
  params.texts(column<std::string_view>(rows_, [](const Row& row) { return row.state; }));
  params.bigints(column<std::int64_t>(rows_, [](const Row& row) { return row.net; }));
  params.integers(column<std::int32_t>(rows_, [](const Row& row) { return row.block_height; }));
  params.byteas(column<util::ByteView>(rows_, [](const Row& row) { return view_of(row.block_hash); }));
  params.bigints(column<std::int64_t>(rows_, [](const Row& row) { return row.block_time; }));
  params.byteas(column<util::ByteView>(rows_, [](const Row& row) { return view_of(row.old_hash); }));
  params.byteas(column<util::ByteView>(rows_, [](const Row& row) { return util::ByteView(row.data); }));
  out.push_back({sql::kAddEvents, std::move(params)});
  out.push_back(notice(kEventChannel, ""));
}

}  // namespace spv::store::postgres
