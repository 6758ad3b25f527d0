// What the log alone tells: wallets that come and go, and the tips of the chain.
#include <bit>

#include "store/event_codec.h"
#include "store/event_log.h"

namespace spv::store {

void EventLog::add(const std::string& wallet, util::UnixTime now, const EventData& event) {
  const util::Bytes data = encode_event(event);
  Statement add = db_.prepare("INSERT INTO event (wallet, time, data) VALUES (?, ?, ?)");
  add.bind(1, wallet).bind(2, now).bind(3, util::ByteView(data)).run();
}

// --- wallets --------------------------------------------------------------------------------------------------------

std::vector<EventSource> EventLog::wallets() {
  Statement query = db_.prepare("SELECT wallet, identity FROM source WHERE present = 1 ORDER BY wallet");
  std::vector<EventSource> out;
  while (query.step()) out.push_back({query.text(0), std::bit_cast<std::uint64_t>(query.integer(1))});
  return out;
}

bool EventLog::has(const EventSource& source) {
  Statement query = db_.prepare("SELECT 1 FROM source WHERE wallet = ?1 AND identity = ?2 AND present = 1");
  query.bind(1, source.wallet).bind(2, std::bit_cast<std::int64_t>(source.identity));
  return query.step();
}

void EventLog::add_wallet(const EventSource& source, util::UnixTime now) {
  Transaction transaction(db_, Transaction::Kind::Write);
  if (has(source)) return;
  tell_removed(source.wallet, now);
  Statement note = db_.prepare(
      "INSERT INTO source (wallet, identity, last, present) VALUES (?1, ?2, 0, 1)"
      " ON CONFLICT (wallet, identity) DO UPDATE SET present = 1");
  note.bind(1, source.wallet).bind(2, std::bit_cast<std::int64_t>(source.identity)).run();
  add(source.wallet, now, WalletEvent{.state = WalletState::Added});
  transaction.commit();
}

void EventLog::remove_wallet(const std::string& name, util::UnixTime now) {
  Transaction transaction(db_, Transaction::Kind::Write);
  tell_removed(name, now);
  transaction.commit();
}

void EventLog::tell_removed(const std::string& wallet, util::UnixTime now) {
  Statement known = db_.prepare("SELECT 1 FROM source WHERE wallet = ?1 AND present = 1");
  known.bind(1, wallet);
  if (!known.step()) return;
  known.reset();
  Statement note = db_.prepare("UPDATE source SET present = 0 WHERE wallet = ?1");
  note.bind(1, wallet).run();
  add(wallet, now, WalletEvent{.state = WalletState::Removed});
}

// --- the chain ------------------------------------------------------------------------------------------------------

std::optional<ToldTip> EventLog::told_tip() {
  Statement query = db_.prepare("SELECT height, hash, work FROM told_tip");
  if (!query.step()) return std::nullopt;
  return checked_tip(query.integer(0), query.blob(1), query.text(2));
}

std::vector<chain::BlockRef> EventLog::told_blocks() {
  Statement query = db_.prepare("SELECT height, hash FROM told_block ORDER BY height DESC");
  std::vector<chain::BlockRef> out;
  while (query.step()) out.push_back(checked_block(query.integer(0), query.blob(1)));
  return out;
}

void EventLog::tell_tip(const ChainView& view, util::UnixTime now) {
  // A look costs no write.
  if (!is_news(view, told_tip())) return;
  Transaction transaction(db_, Transaction::Kind::Write);
  const auto told = told_tip();
  if (!is_news(view, told)) return;
  std::optional<chain::Height> fork;
  if (told && !is_on_chain(view, told->block)) fork = fork_below(view, told_blocks());
  for (const auto& event : chain_events(view, told, fork)) add("", now, event);
  keep_chain(view, fork ? *fork : told ? told->block.height : -1);
  transaction.commit();
}

void EventLog::keep_chain(const ChainView& view, chain::Height above) {
  Statement forget = db_.prepare("DELETE FROM told_block WHERE height > ?1 OR height <= ?2");
  forget.bind(1, std::int64_t{above}).bind(2, std::int64_t{view.tip.height - kToldBlocks}).run();
  Statement keep = db_.prepare("INSERT OR REPLACE INTO told_block (height, hash) VALUES (?, ?)");
  for (const auto& block : blocks_above(view, above)) {
    keep.bind(1, std::int64_t{block.height}).bind(2, block.hash.view()).run();
  }
  Statement tip = db_.prepare("INSERT OR REPLACE INTO told_tip (id, height, hash, work) VALUES (1, ?, ?, ?)");
  tip.bind(1, std::int64_t{view.tip.height}).bind(2, view.tip.hash.view()).bind(3, view.work.to_hex()).run();
}

}  // namespace spv::store
