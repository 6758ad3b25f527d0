#include "store/schema.h"

#include <array>
#include <cstdlib>
#include <string>

#include "p2p/message.h"

namespace spv::store {
namespace {

// Each row ends with a checksum over its values, and `scan` holds the count and the sum of the checksums of all
// transactions: a damaged, lost or doubled row is noticed, not believed.
constexpr std::string_view kVersion1 = R"sql(
CREATE TABLE wallet (
  id            INTEGER PRIMARY KEY CHECK (id = 1),
  network       TEXT    NOT NULL,
  kind          TEXT    NOT NULL,
  created       INTEGER NOT NULL,
  fingerprint   BLOB,
  gap_limit     INTEGER NOT NULL,
  birthday      INTEGER NOT NULL,
  birthday_time INTEGER,
  filter_tweak  INTEGER NOT NULL,
  decoy_seed    INTEGER NOT NULL,
  key_chains    INTEGER NOT NULL,
  checksum      BLOB    NOT NULL
) STRICT;
CREATE TABLE secret (
  id      INTEGER PRIMARY KEY CHECK (id = 1),
  format  INTEGER NOT NULL,
  data    BLOB    NOT NULL,
  checksum BLOB   NOT NULL
) STRICT;
CREATE TABLE key_chain (
  id            INTEGER PRIMARY KEY,
  descriptor    TEXT    NOT NULL,
  is_change     INTEGER NOT NULL,
  watched       INTEGER NOT NULL,
  last_used     INTEGER,
  next_unissued INTEGER NOT NULL,
  checksum      BLOB    NOT NULL
) STRICT;
CREATE TABLE tx (
  id            INTEGER PRIMARY KEY,
  txid          BLOB    NOT NULL UNIQUE,
  raw           BLOB    NOT NULL,
  block_height  INTEGER,
  block_hash    BLOB,
  block_time    INTEGER,
  block_index   INTEGER,
  first_seen    INTEGER NOT NULL,
  sequence      INTEGER NOT NULL,
  proof         BLOB    NOT NULL,
  checksum      BLOB    NOT NULL
) STRICT;
CREATE TABLE scan (
  id            INTEGER PRIMARY KEY CHECK (id = 1),
  height        INTEGER NOT NULL,
  hash          BLOB    NOT NULL,
  backfill_from INTEGER,
  backfill_to   INTEGER,
  anchors       BLOB    NOT NULL,
  tx_count      INTEGER NOT NULL,
  tx_sum        BLOB    NOT NULL,
  checksum      BLOB    NOT NULL
) STRICT;
)sql";

// What was seen before this was kept counts as forgotten until a peer tells of it again.
constexpr std::string_view kVersion2 = R"sql(
ALTER TABLE tx ADD COLUMN seen_at INTEGER NOT NULL DEFAULT 0;
)sql";

// Nothing is known of what was scanned before this was kept.
constexpr std::string_view kVersion3 = R"sql(
ALTER TABLE scan ADD COLUMN attested BLOB NOT NULL DEFAULT x'';
)sql";

// Labels (BIP329). They are written beside a process that writes the other tables: `label_total` is what `scan` is for
// transactions, apart because no row may have two writers.
constexpr std::string_view kVersion4 = R"sql(
CREATE TABLE label (
  id            INTEGER PRIMARY KEY,
  type          TEXT    NOT NULL,
  ref           TEXT    NOT NULL,
  label         TEXT    NOT NULL,
  origin        TEXT    NOT NULL,
  spendable     INTEGER,
  checksum      BLOB    NOT NULL,
  UNIQUE (type, ref)
) STRICT;
CREATE TABLE label_total (
  id            INTEGER PRIMARY KEY CHECK (id = 1),
  label_count   INTEGER NOT NULL,
  label_sum     BLOB    NOT NULL
) STRICT;
INSERT INTO label_total VALUES (1, 0, zeroblob(8));
)sql";

// How far a transaction that this wallet made has got; null of all others. What was made before this was kept is not
// known, so it counts as others' do.
constexpr std::string_view kVersion5 = R"sql(
ALTER TABLE tx ADD COLUMN send_state INTEGER;
ALTER TABLE tx ADD COLUMN peers_accepted INTEGER;
)sql";

// Events, and what was told last about each transaction. Nothing is known to be told before this was kept: the first
// sync tells all that there is.
constexpr std::string_view kVersion6 = R"sql(
CREATE TABLE event (
  number        INTEGER PRIMARY KEY AUTOINCREMENT,
  time          INTEGER NOT NULL,
  data          BLOB    NOT NULL,
  checksum      BLOB    NOT NULL
) STRICT;
CREATE TABLE told (
  txid          BLOB    PRIMARY KEY,
  state         INTEGER NOT NULL,
  net           INTEGER NOT NULL,
  block         BLOB,
  checksum      BLOB    NOT NULL
) STRICT, WITHOUT ROWID;
)sql";

// The scripts that are watched, those of a chain that were derived together in one row.
constexpr std::string_view kVersion7 = R"sql(
CREATE TABLE script (
  chain         INTEGER NOT NULL,
  first         INTEGER NOT NULL,
  data          BLOB    NOT NULL,
  checksum      BLOB    NOT NULL,
  PRIMARY KEY (chain, first)
) STRICT, WITHOUT ROWID;
)sql";

// Whether it was told that the wallet is synced, since it was added or rescanned. Of an older file that is not known:
// the next sync tells it.
constexpr std::string_view kVersion8 = R"sql(
CREATE TABLE synced (
  id            INTEGER PRIMARY KEY CHECK (id = 1),
  told          INTEGER NOT NULL
) STRICT;
INSERT INTO synced VALUES (1, 0);
)sql";

// The balance, of one state of all that it is computed from: see store/stored_balance.h. None is known of an older
// file.
constexpr std::string_view kVersion9 = R"sql(
CREATE TABLE balance (
  id            INTEGER PRIMARY KEY CHECK (id = 1),
  confirmed     INTEGER NOT NULL,
  unconfirmed   INTEGER NOT NULL,
  immature      INTEGER NOT NULL,
  scanned       INTEGER NOT NULL,
  lasts         INTEGER NOT NULL,
  checksum      BLOB    NOT NULL
) STRICT;
)sql";

// SQLite's primary result codes of these names.
constexpr int kNoMemory = 7;
constexpr int kIoError = 10;

// Entry n brings a file from version n to n + 1; the first makes the tables.
constexpr std::array<std::string_view, kSchemaVersion> kMigrations{
    kVersion1, kVersion2, kVersion3, kVersion4, kVersion5, kVersion6, kVersion7, kVersion8, kVersion9};

std::string tables_of(Database& db) {
  std::string all;
  Statement query = db.prepare("SELECT type, name, coalesce(sql, '') FROM sqlite_schema ORDER BY type, name");
  while (query.step()) all += query.text(0) + ' ' + query.text(1) + ' ' + query.text(2) + '\n';
  return all;
}

std::string fresh_tables() {
  Database fresh = Database::in_memory();
  create_schema(fresh);
  return tables_of(fresh);
}

// "Page 5: unable to get the page. error code=266": whether that code is one of a failed read or of no memory.
bool is_system_failure(const std::string& verdict) {
  constexpr std::string_view kMark = "error code=";
  const auto at = verdict.find(kMark);
  if (at == std::string::npos) return false;
  const int code = std::atoi(verdict.c_str() + at + kMark.size()) & 0xFF;
  return code == kIoError || code == kNoMemory;
}

void upgrade_from(Database& db, std::int64_t version) {
  Transaction transaction(db, Transaction::Kind::Write);
  for (; version < kSchemaVersion; ++version) {
    db.execute(std::string(kMigrations.at(static_cast<std::size_t>(version))));
  }
  db.execute("PRAGMA user_version = " + std::to_string(kSchemaVersion));
  transaction.commit();
}

}  // namespace

void create_schema(Database& db) {
  db.execute("PRAGMA application_id = " + std::to_string(kApplicationId));
  upgrade_from(db, 0);
}

void check_file(Database& db) {
  if (db.integer("PRAGMA application_id") != kApplicationId) {
    throw StoreError(StoreError::Kind::NotAWallet, "this file is not an spv wallet; check the path");
  }
  const std::int64_t version = db.integer("PRAGMA user_version");
  if (version > kSchemaVersion) {
    throw StoreError(StoreError::Kind::NewerSchema, "this wallet was written by a newer spv (format " +
                                                        std::to_string(version) + ", this one knows " +
                                                        std::to_string(kSchemaVersion) + "); update spv");
  }
  std::string verdict = version > 0 ? db.text("PRAGMA quick_check(1)") : "no format version";
  if (verdict == "ok") return;
  verdict = p2p::printable(verdict);
  // What the system did not give says nothing about what is on the disk.
  if (is_system_failure(verdict)) {
    throw StoreError(StoreError::Kind::Io,
                     "the wallet file cannot be read (" + verdict + "); check the disk and try again");
  }
  throw StoreError(StoreError::Kind::Corrupt,
                   "the wallet file is damaged (" + verdict + "); use a backup or restore from the mnemonic");
}

void migrate(Database& db) {
  const std::int64_t version = db.integer("PRAGMA user_version");
  if (version < kSchemaVersion) upgrade_from(db, version);
}

void check_tables(Database& db) {
  static const std::string kFresh = fresh_tables();
  if (tables_of(db) == kFresh) return;
  throw StoreError(StoreError::Kind::Corrupt,
                   "the wallet file has other tables than expected; use a backup or restore from the mnemonic");
}

}  // namespace spv::store
