#include "store/outbox.h"

#include <algorithm>

#include "store/event_codec.h"
#include "store/rows.h"
#include "util/codec.h"

namespace spv::store {
namespace {

using wallet::Told;

Checksum checksum_of(const Told& told) {
  util::Writer values;
  values.var_string("told").hash(told.txid).integer(static_cast<std::uint8_t>(told.state)).integer(told.net);
  values.integer(std::uint8_t{told.block.has_value()});
  if (told.block) values.hash(*told.block);
  return checksum_over(values);
}

Checksum checksum_of(std::int64_t number, util::UnixTime time, util::ByteView data) {
  util::Writer values;
  values.var_string("event").integer(number).integer(time).var_bytes(data);
  return checksum_over(values);
}

void require_checksum(util::ByteView stored, const Checksum& expected, const char* what) {
  if (!std::ranges::equal(stored, expected)) throw_corrupt(what);
}

Told read_told_row(const Statement& from) {
  std::optional<util::ByteView> block;
  if (!from.is_null(3)) block = from.blob(3);
  const Told told = checked({.txid = from.blob(0), .state = from.integer(1), .net = from.integer(2), .block = block});
  require_checksum(from.blob(4), checksum_of(told), "what was told");
  return told;
}

/// Adds events, with the numbers that follow.
class Outbox {
 public:
  Outbox(Database& db, util::UnixTime now)
      : now_(now),
        number_(last_event(db)),
        add_(db.prepare("INSERT INTO event (number, time, data, checksum) VALUES (?, ?, ?, ?)")) {}
  void add(const util::Bytes& data) {
    ++number_;
    add_.bind(1, number_).bind(2, now_).bind(3, util::ByteView(data));
    add_.bind(4, util::ByteView(checksum_of(number_, now_, data))).run();
  }

 private:
  util::UnixTime now_;
  std::int64_t number_;
  Statement add_;
};

}  // namespace

std::vector<Told> read_told(Database& db) {
  std::vector<Told> out;
  Statement query = db.prepare("SELECT txid, state, net, block, checksum FROM told");
  while (query.step()) out.push_back(read_told_row(query));
  return out;
}

void write_told(Database& db, const std::vector<Told>& told) {
  if (told.empty()) return;
  Statement put = db.prepare("INSERT OR REPLACE INTO told (txid, state, net, block, checksum) VALUES (?, ?, ?, ?, ?)");
  for (const auto& each : told) {
    put.bind(1, each.txid.view()).bind(2, static_cast<std::int64_t>(each.state)).bind(3, each.net);
    if (each.block) {
      put.bind(4, each.block->view());
    } else {
      put.bind_null(4);
    }
    put.bind(5, util::ByteView(checksum_of(each))).run();
  }
}

void write_events(Database& db, const std::vector<wallet::TxEvent>& events, util::UnixTime now) {
  if (events.empty()) return;
  Outbox outbox(db, now);
  std::vector<Told> told;
  told.reserve(events.size());
  for (const auto& event : events) {
    outbox.add(encode_event(event));
    told.push_back(told_by(event));
  }
  write_told(db, told);
}

bool read_synced(Database& db) { return db.integer("SELECT told FROM synced") != 0; }

void write_synced(Database& db, bool synced) {
  Statement set = db.prepare("UPDATE synced SET told = ?1");
  set.bind(1, std::int64_t{synced}).run();
}

void tell_synced(Database& db, util::UnixTime now) {
  write_synced(db, true);
  Outbox(db, now).add(encode_event(WalletEvent{.state = WalletState::Synced}));
}

std::int64_t last_event(Database& db) {
  return db.integer("SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'event'), 0)");
}

void skip_events(Database& db, std::int64_t number) {
  db.execute("DELETE FROM sqlite_sequence WHERE name = 'event'");
  Statement put = db.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES ('event', ?1)");
  put.bind(1, number).run();
}

std::vector<StoredEvent> read_events(Database& db, std::int64_t after, std::size_t limit) {
  Statement query =
      db.prepare("SELECT number, time, data, checksum FROM event WHERE number > ?1 ORDER BY number LIMIT ?2");
  query.bind(1, after).bind(2, static_cast<std::int64_t>(limit));
  std::vector<StoredEvent> out;
  while (query.step()) {
    StoredEvent stored{.number = query.integer(0), .time = query.integer(1), .event = {}};
    require_checksum(query.blob(3), checksum_of(stored.number, stored.time, query.blob(2)), "an event");
    stored.event = decode_event(query.blob(2));
    out.push_back(std::move(stored));
  }
  return out;
}

}  // namespace spv::store
