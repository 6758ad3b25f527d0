#include "store/event_log.h"

#include <array>
#include <bit>

#include "store/event_codec.h"
#include "store/rows.h"
#include "store/wallet_file.h"

namespace spv::store {
namespace {

/// "spve": what SQLite's application_id says in every log.
constexpr std::int64_t kLogApplicationId = 0x73707665;
constexpr std::string_view kVersion1 = R"sql(
CREATE TABLE event (
  seq           INTEGER PRIMARY KEY AUTOINCREMENT,
  wallet        TEXT    NOT NULL,
  time          INTEGER NOT NULL,
  data          BLOB    NOT NULL
) STRICT;
CREATE INDEX event_wallet ON event (wallet, seq);
CREATE INDEX event_time ON event (time);
CREATE TABLE source (
  wallet        TEXT    NOT NULL,
  identity      INTEGER NOT NULL,
  last          INTEGER NOT NULL,
  PRIMARY KEY (wallet, identity)
) STRICT, WITHOUT ROWID;
CREATE TABLE consumer (
  name          TEXT    PRIMARY KEY,
  seq           INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
)sql";

// The wallets that were told as added, and the chain whose tip was told. Events without a wallet are those of the
// chain.
constexpr std::string_view kVersion2 = R"sql(
ALTER TABLE source ADD COLUMN present INTEGER NOT NULL DEFAULT 0;
CREATE TABLE told_tip (
  id            INTEGER PRIMARY KEY CHECK (id = 1),
  height        INTEGER NOT NULL,
  hash          BLOB    NOT NULL,
  work          TEXT    NOT NULL
) STRICT;
CREATE TABLE told_block (
  height        INTEGER PRIMARY KEY,
  hash          BLOB    NOT NULL
) STRICT;
)sql";

// Every wallet that is opened is looked for by its identity.
constexpr std::string_view kVersion3 = "CREATE INDEX source_identity ON source (identity);";

// Entry n brings a log from version n to n + 1.
constexpr std::array kLogVersions{kVersion1, kVersion2, kVersion3};
constexpr auto kLogVersion = static_cast<std::int64_t>(kLogVersions.size());

void prepare_tables(Database& db) {
  Transaction transaction(db, Transaction::Kind::Write);
  const auto version = db.integer("PRAGMA user_version");
  const bool is_log = version > 0 && db.integer("PRAGMA application_id") == kLogApplicationId;
  if (version == kLogVersion && is_log) return;
  if (version > kLogVersion) {
    throw StoreError(StoreError::Kind::NewerSchema, "the event log was written by a newer spv; update spv");
  }
  if (!is_log && db.integer("SELECT count(*) FROM sqlite_schema") != 0) {
    throw StoreError(StoreError::Kind::NotAWallet, "events.sqlite is not an event log of spv; move it away");
  }
  for (auto next = is_log ? version : 0; next < kLogVersion; ++next) {
    db.execute(std::string(kLogVersions.at(static_cast<std::size_t>(next))));
  }
  db.execute("PRAGMA application_id = " + std::to_string(kLogApplicationId));
  db.execute("PRAGMA user_version = " + std::to_string(kLogVersion));
  transaction.commit();
}

std::int64_t last_number(Database& db, const EventSource& source) {
  Statement query = db.prepare("SELECT last FROM source WHERE wallet = ?1 AND identity = ?2");
  query.bind(1, source.wallet).bind(2, std::bit_cast<std::int64_t>(source.identity));
  return query.step() ? query.integer(0) : 0;
}

}  // namespace

EventLog::EventLog(const std::filesystem::path& path) : db_(make_private_file(path), Database::Mode::Shared) {
  db_.execute("PRAGMA journal_mode = WAL");
  prepare_tables(db_);
}

std::int64_t EventLog::last_of(const EventSource& source) { return last_number(db_, source); }

std::vector<std::string> EventLog::names_of(std::uint64_t identity) {
  Statement query = db_.prepare("SELECT wallet FROM source WHERE identity = ?1 ORDER BY wallet");
  query.bind(1, std::bit_cast<std::int64_t>(identity));
  std::vector<std::string> out;
  while (query.step()) out.push_back(query.text(0));
  return out;
}

void EventLog::rename(const EventSource& source, const std::string& name) {
  Transaction transaction(db_, Transaction::Kind::Write);
  Statement update = db_.prepare("UPDATE OR REPLACE source SET wallet = ?1 WHERE wallet = ?2 AND identity = ?3");
  update.bind(1, name).bind(2, source.wallet).bind(3, std::bit_cast<std::int64_t>(source.identity)).run();
  transaction.commit();
}

void EventLog::rename_all(const std::string& from, const std::string& to) {
  Transaction transaction(db_, Transaction::Kind::Write);
  Statement update = db_.prepare("UPDATE OR REPLACE source SET wallet = ?2 WHERE wallet = ?1 AND present = 1");
  update.bind(1, from).bind(2, to).run();
  transaction.commit();
}

void EventLog::append(const std::vector<Addition>& additions) {
  Transaction transaction(db_, Transaction::Kind::Write);
  Statement add = db_.prepare("INSERT INTO event (wallet, time, data) VALUES (?, ?, ?)");
  Statement note = db_.prepare(
      "INSERT INTO source (wallet, identity, last) VALUES (?1, ?2, ?3)"
      " ON CONFLICT (wallet, identity) DO UPDATE SET last = ?3");
  for (const auto& [source, events] : additions) {
    const std::int64_t before = last_number(db_, source);
    std::int64_t last = before;
    for (const auto& event : events) {
      if (event.number <= last) continue;
      last = event.number;
      const util::Bytes data = encode_event(event.event);
      add.bind(1, source.wallet).bind(2, event.time).bind(3, util::ByteView(data)).run();
    }
    if (last == before) continue;
    note.bind(1, source.wallet).bind(2, std::bit_cast<std::int64_t>(source.identity)).bind(3, last).run();
  }
  transaction.commit();
}

std::vector<LoggedEvent> EventLog::read(Seq after, std::size_t limit, const std::optional<std::string>& wallet) {
  const Transaction transaction(db_, Transaction::Kind::Read);
  Statement query = db_.prepare(std::string("SELECT seq, wallet, time, data FROM event WHERE seq > ?1") +
                                (wallet ? " AND wallet = ?3" : "") + " ORDER BY seq LIMIT ?2");
  query.bind(1, after).bind(2, static_cast<std::int64_t>(limit));
  if (wallet) query.bind(3, *wallet);
  std::vector<LoggedEvent> out;
  while (query.step()) {
    out.push_back({query.integer(0), query.text(1), query.integer(2), decode_event(query.blob(3))});
  }
  return out;
}

Seq EventLog::newest() {
  return db_.integer("SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'event'), 0)");
}

std::optional<Seq> EventLog::oldest() {
  const Transaction transaction(db_, Transaction::Kind::Read);
  Statement query = db_.prepare("SELECT min(seq) FROM event");
  query.step();
  if (const auto first = query.optional_integer(0)) return first;
  const Seq last = newest();
  return last == 0 ? std::nullopt : std::optional(last + 1);
}

void EventLog::prune(util::UnixTime before) {
  Transaction transaction(db_, Transaction::Kind::Write);
  // In the order of the numbers: a clock that went back must not make a hole.
  Statement remove = db_.prepare(
      "DELETE FROM event WHERE seq < coalesce((SELECT min(seq) FROM event WHERE time >= ?1),"
      " (SELECT max(seq) + 1 FROM event))");
  remove.bind(1, before).run();
  transaction.commit();
}

Seq EventLog::position(const std::string& consumer) {
  Statement query = db_.prepare("SELECT seq FROM consumer WHERE name = ?1");
  query.bind(1, consumer);
  return query.step() ? query.integer(0) : 0;
}

void EventLog::acknowledge(const std::string& consumer, Seq seq) {
  Transaction transaction(db_, Transaction::Kind::Write);
  Statement put = db_.prepare(
      "INSERT INTO consumer (name, seq) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET seq = max(seq, ?2)");
  put.bind(1, consumer).bind(2, seq).run();
  transaction.commit();
}

}  // namespace spv::store
