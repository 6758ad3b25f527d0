#include "store/wallet_repository.h"

#include <algorithm>
#include <string>
#include <utility>

#include "store/labels.h"
#include "store/schema.h"
#include "store/wallet_file.h"
#include "util/codec.h"
#include "util/ensure.h"
#include "util/hash.h"

namespace spv::store {
namespace {

std::string select(std::string_view columns, std::string_view rest) {
  return "SELECT " + std::string(columns) + " FROM " + std::string(rest);
}

// "INSERT INTO table (columns) VALUES (?1, …)", with as many parameters as columns.
std::string insert(std::string_view table, std::string_view columns) {
  std::string parameters = "?";
  for (const char c : columns) {
    if (c == ',') parameters += ", ?";
  }
  return "INSERT INTO " + std::string(table) + " (" + std::string(columns) + ") VALUES (" + parameters + ")";
}

constexpr std::string_view kSetChain =
    "UPDATE key_chain SET descriptor = ?1, is_change = ?2, watched = ?3, last_used = ?4, next_unissued = ?5,"
    " checksum = ?6 WHERE id = ?7";

std::string with_id(std::string_view columns) { return std::string(columns) + ", id"; }

void write_new_wallet(Database& db, const WalletRepository::Contents& contents, const WalletInfo& info,
                      const std::optional<StoredSecret>& secret) {
  const auto& [config, state] = contents;
  util::ensure(config.key_chains.size() == state.key_chains.size(), "one state for each key chain");
  util::ensure(secret.has_value() == (info.kind == WalletKind::Mnemonic), "a watch-only wallet has no secret");
  Transaction transaction(db, Transaction::Kind::Write);
  Statement wallet_row = db.prepare(insert("wallet", with_id(kWalletColumns)));
  const auto chains = static_cast<std::int64_t>(config.key_chains.size());
  bind_wallet(wallet_row, {.config = config, .info = info, .key_chains = chains});
  wallet_row.bind(12, std::int64_t{1}).run();

  Statement chain_row = db.prepare(insert("key_chain", with_id(kKeyChainColumns)));
  for (std::size_t i = 0; i < config.key_chains.size(); ++i) {
    const auto id = static_cast<std::int64_t>(i);
    bind_key_chain(chain_row, id, {.config = config.key_chains[i], .state = state.key_chains[i]});
    chain_row.bind(7, id).run();
  }
  TxTotals totals;
  Statement tx_row = db.prepare(insert("tx", kTxColumns));
  for (const auto& record : state.transactions) {
    totals.toggle(bind_tx(tx_row, record));
    ++totals.count;
    tx_row.run();
  }
  write_told(db, state.told);
  Statement scan_row = db.prepare(insert("scan", with_id(kScanColumns)));
  bind_scan(scan_row, {.scan = state.scan, .totals = totals});
  scan_row.bind(10, std::int64_t{1}).run();
  if (secret) {
    Statement secret_row = db.prepare(insert("secret", with_id(kSecretColumns)));
    bind_secret(secret_row, *secret);
    secret_row.bind(4, std::int64_t{1}).run();
  }
  transaction.commit();
}

bool needs_migration(const std::filesystem::path& path) {
  Database db(path, Database::Mode::ReadOnly);
  const std::int64_t version = db.integer("PRAGMA user_version");
  return db.integer("PRAGMA application_id") == kApplicationId && version > 0 && version < kSchemaVersion;
}

// A reader brings an older file up to date too, as the writer that it is for a moment.
void migrate_file(const std::filesystem::path& path) {
  const FileLock lock(path);
  Database db(path, Database::Mode::ReadWrite);
  check_file(db);
  migrate(db);
}

StoreError moved(const std::filesystem::path& path) {
  return {StoreError::Kind::Moved,
          "the wallet " + path.string() + " was renamed or deleted meanwhile, nothing is changed; see spv list"};
}

// A file that was copied or renamed may be without SQLite's log, and then who writes keeps readers out.
void use_log(Database& db) {
  if (db.text("PRAGMA journal_mode") != "wal") db.execute("PRAGMA journal_mode = WAL");
}

}  // namespace

// Made once for the life of a writer.
struct WalletRepository::Statements {
  explicit Statements(Database& db)
      : find_tx(db.prepare("SELECT checksum FROM tx WHERE txid = ?1")),
        put_tx(db.prepare(insert("tx", kTxColumns) +
                          " ON CONFLICT (txid) DO UPDATE SET raw = ?2, block_height = ?3, block_hash = ?4,"
                          " block_time = ?5, block_index = ?6, first_seen = ?7, sequence = ?8, proof = ?9,"
                          " checksum = ?10, seen_at = ?11, send_state = ?12, peers_accepted = ?13")),
        set_chain(db.prepare(kSetChain)),
        set_scan(db.prepare("UPDATE scan SET height = ?1, hash = ?2, backfill_from = ?3, backfill_to = ?4,"
                            " anchors = ?5, tx_count = ?6, tx_sum = ?7, checksum = ?8, attested = ?9 WHERE id = 1")),
        set_wallet(db.prepare("UPDATE wallet SET network = ?1, kind = ?2, created = ?3, fingerprint = ?4,"
                              " gap_limit = ?5, birthday = ?6, birthday_time = ?7, filter_tweak = ?8, decoy_seed = ?9,"
                              " key_chains = ?10, checksum = ?11 WHERE id = 1")) {}
  Statement find_tx;
  Statement put_tx;
  Statement set_chain;
  Statement set_scan;
  Statement set_wallet;
};

WalletRepository::WalletRepository(WalletRepository&&) noexcept = default;
WalletRepository& WalletRepository::operator=(WalletRepository&&) noexcept = default;
WalletRepository::~WalletRepository() = default;

WalletRepository::WalletRepository(std::unique_ptr<Database> db, Mode mode, std::optional<FileLock> lock)
    : lock_(std::move(lock)), db_(std::move(db)), mode_(mode) {
  check_file(*db_);
  if (mode == Mode::ReadWrite) migrate(*db_);
  check_tables(*db_);
  read_header();
  if (mode == Mode::ReadWrite) statements_ = std::make_unique<Statements>(*db_);
}

WalletRepository WalletRepository::create(const std::filesystem::path& name, const Contents& contents,
                                          const WalletInfo& info, const std::optional<StoredSecret>& secret,
                                          const std::function<void()>& before_naming) {
  const std::filesystem::path path = resolve_new(name);
  require_absent(path);
  FileLock lock(path);
  try {
    require_absent(path);
    make_draft(path);
    {
      Database db(draft_path(path), Mode::ReadWrite);
      create_schema(db);
      db.execute("PRAGMA journal_mode = WAL");
      write_new_wallet(db, contents, info, secret);
      // Closing would do the same, but keep silent if it fails, and the log does not get the new name.
      if (db.integer("PRAGMA wal_checkpoint(TRUNCATE)") != 0) {
        throw StoreError(StoreError::Kind::Io, "the new wallet could not be written completely; try again");
      }
    }
    if (before_naming) before_naming();
    publish_draft(path);
  } catch (...) {
    remove_draft(path);
    lock.remove_file();
    throw;
  }
  return {std::make_unique<Database>(path, Mode::ReadWrite), Mode::ReadWrite, std::move(lock)};
}

WalletRepository WalletRepository::open(const std::filesystem::path& name, Mode mode,
                                        std::optional<chain::Network> network) {
  // Every name of the file leads to the same lock.
  const std::filesystem::path path = resolve_existing(name);
  try {
    return open_resolved(path, mode, network);
  } catch (const StoreError&) {
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored) && !ignored) throw moved(path);
    throw;
  }
}

WalletRepository WalletRepository::open_resolved(const std::filesystem::path& path, Mode mode,
                                                 std::optional<chain::Network> network) {
  prepare_existing(path);
  std::optional<FileLock> lock;
  if (mode == Mode::ReadWrite) lock.emplace(path);
  if (mode != Mode::ReadWrite && needs_migration(path)) migrate_file(path);
  std::optional<FileName> file_name;
  if (mode == Mode::Shared) file_name.emplace(path);
  auto db = std::make_unique<Database>(path, mode);
  WalletRepository repository(std::move(db), mode, std::move(lock));
  repository.name_ = std::move(file_name);
  repository.require_network(network);
  if (mode != Mode::ReadOnly) use_log(*repository.db_);
  return repository;
}

void WalletRepository::require_network(std::optional<chain::Network> network) const {
  if (!network || *network == this->network()) return;
  throw StoreError(StoreError::Kind::WrongNetwork,
                   "this is a wallet of the network " + std::string(chain::params(this->network()).name) + ", not of " +
                       std::string(chain::params(*network).name) + "; use --network or choose another wallet");
}

WalletRepository WalletRepository::create_image(const Contents& contents, const WalletInfo& info,
                                                const std::optional<StoredSecret>& secret, Keep keep) {
  auto db = std::make_unique<Database>(Database::in_memory());
  create_schema(*db);
  write_new_wallet(*db, contents, info, secret);
  keep(db->image());
  WalletRepository repository(std::move(db), Mode::ReadWrite, std::nullopt);
  repository.keep_ = std::move(keep);
  return repository;
}

WalletRepository WalletRepository::open_image(util::ByteView image, std::optional<chain::Network> network, Keep keep) {
  WalletRepository repository(std::make_unique<Database>(Database::from_image(image)), Mode::ReadWrite, std::nullopt);
  repository.require_network(network);
  repository.keep_ = std::move(keep);
  return repository;
}

void WalletRepository::read_header() {
  Transaction transaction(*db_, Transaction::Kind::Read);
  read_setup();
  // Only what it is; the secret itself is left alone until somebody asks for it.
  Statement secret_row = db_->prepare("SELECT format FROM secret");
  const bool found = secret_row.step();
  if (found != (info_.kind == WalletKind::Mnemonic)) throw_corrupt("secret");
  info_.encrypted = found && secret_row.integer(0) == static_cast<std::int64_t>(StoredSecret::Format::Encrypted);
}

void WalletRepository::read_setup() {
  Statement wallet_row = db_->prepare(select(kWalletColumns, "wallet"));
  if (!wallet_row.step()) throw_corrupt("no wallet row");
  const WalletRow row = read_wallet(wallet_row);
  config_ = row.config;
  const bool encrypted = info_.encrypted;
  info_ = row.info;
  info_.encrypted = encrypted;
  key_chains_ = read_key_chains();
  if (static_cast<std::int64_t>(key_chains_.size()) != row.key_chains) throw_corrupt("number of key chains");
  Statement scan_row = db_->prepare(select(kScanColumns, "scan"));
  if (!scan_row.step()) throw_corrupt("no scan row");
  scan_ = read_scan(scan_row);
}

std::vector<KeyChainRow> WalletRepository::read_key_chains() {
  std::vector<KeyChainRow> rows;
  Statement query = db_->prepare(select(kKeyChainColumns, "key_chain ORDER BY id"));
  while (query.step()) rows.push_back(read_key_chain(query, static_cast<std::int64_t>(rows.size()), config_));
  return rows;
}

WalletRepository::Contents WalletRepository::load() {
  Contents contents;
  TxTotals totals;
  {
    Transaction transaction(*db_, Transaction::Kind::Read);
    read_setup();
    Statement query = db_->prepare(select(kTxColumns, "tx ORDER BY id"));
    while (query.step()) {
      TxRow row = read_tx(query);
      totals.toggle(row.checksum);
      ++totals.count;
      contents.state.transactions.push_back(std::move(row.record));
    }
    contents.state.frozen = frozen_outputs(read_labels(*db_));
    contents.state.told = read_told(*db_);
  }
  if (totals != scan_.totals) throw_corrupt("a transaction is missing or there twice");
  contents.config = config_;
  for (const KeyChainRow& row : key_chains_) {
    contents.config.key_chains.push_back(row.config);
    contents.state.key_chains.push_back(row.state);
  }
  contents.state.scan = scan_.scan;
  return contents;
}

void WalletRepository::commit(const wallet::Changes& changes, util::UnixTime now) {
  require_writer();
  if (changes.empty()) return;
  // Kept apart until the commit is through: a failed one must leave us as we were.
  std::vector<KeyChainRow> chains = key_chains_;
  ScanRow scan = scan_;
  if (changes.scan) scan.scan = *changes.scan;

  Transaction transaction(*db_, Transaction::Kind::Write);
  scan.totals = write_transactions(changes.transactions, scan.totals);
  for (const auto& change : changes.key_chains) write_chain(change.chain, change.state, chains);
  if (changes.scan || !changes.transactions.empty()) {
    bind_scan(statements_->set_scan, scan);
    statements_->set_scan.run();
  }
  wallet::WalletConfig config = config_;
  if (changes.birthday) {
    config.birthday = *changes.birthday;
    config.birthday_time.reset();
    bind_wallet(statements_->set_wallet, {config, info_, static_cast<std::int64_t>(key_chains_.size())});
    statements_->set_wallet.run();
  }
  write_events(*db_, changes.events, now);
  transaction.commit();
  key_chains_ = std::move(chains);
  scan_ = std::move(scan);
  config_ = std::move(config);
  if (keep_) keep_(db_->image());
}

std::vector<StoredEvent> WalletRepository::events(std::int64_t after, std::size_t limit) {
  const Transaction transaction(*db_, Transaction::Kind::Read);
  return read_events(*db_, after, limit);
}

void WalletRepository::continue_events(std::int64_t number) {
  require_writer();
  Transaction transaction(*db_, Transaction::Kind::Write);
  if (last_event(*db_) >= number) return;
  skip_events(*db_, number);
  transaction.commit();
}

std::uint64_t WalletRepository::identity() const {
  util::Writer values;
  values.integer(info_.created).integer(config_.filter.tweak).integer(config_.filter.decoy_seed);
  return util::Reader(util::sha256(values.data()).bytes).integer<std::uint64_t>();
}

KeyChainRow WalletRepository::read_stored_chain(std::size_t chain) {
  const auto id = static_cast<std::int64_t>(chain);
  Statement query = db_->prepare(select(kKeyChainColumns, "key_chain WHERE id = ?1"));
  query.bind(1, id);
  if (!query.step()) throw_corrupt("number of key chains");
  return read_key_chain(query, id, config_);
}

void WalletRepository::write_chain(std::size_t chain, wallet::KeyChainState state, std::vector<KeyChainRow>& rows) {
  const auto id = static_cast<std::int64_t>(chain);
  KeyChainRow& row = rows.at(chain);
  // Another process may have handed out addresses since this one looked.
  state.next_unissued = std::max(state.next_unissued, read_stored_chain(chain).state.next_unissued);
  row.state = state;
  bind_key_chain(statements_->set_chain, id, row);
  statements_->set_chain.bind(7, id).run();
}

void WalletRepository::reconfigure(const Contents& contents) {
  require_writer();
  const auto& [config, state] = contents;
  util::ensure(config.key_chains.size() == state.key_chains.size(), "one state for each key chain");
  util::ensure(config.key_chains.size() >= key_chains_.size(), "no key chain is taken away");
  std::vector<KeyChainRow> chains = key_chains_;
  Transaction transaction(*db_, Transaction::Kind::Write);
  Statement add = db_->prepare(insert("key_chain", with_id(kKeyChainColumns)));
  for (std::size_t i = 0; i < config.key_chains.size(); ++i) {
    if (i < key_chains_.size()) {
      write_chain(i, state.key_chains[i], chains);
      continue;
    }
    const auto id = static_cast<std::int64_t>(i);
    chains.push_back({.config = config.key_chains[i], .state = state.key_chains[i]});
    bind_key_chain(add, id, chains.back());
    add.bind(7, id).run();
  }
  const ScanRow scan{.scan = state.scan, .totals = scan_.totals};
  bind_scan(statements_->set_scan, scan);
  statements_->set_scan.run();
  wallet::WalletConfig bare = config;
  bare.key_chains.clear();
  bind_wallet(statements_->set_wallet, {bare, info_, static_cast<std::int64_t>(chains.size())});
  statements_->set_wallet.run();
  transaction.commit();
  key_chains_ = std::move(chains);
  scan_ = scan;
  config_ = std::move(bare);
  if (keep_) keep_(db_->image());
}

std::vector<std::uint32_t> WalletRepository::issued() {
  const Transaction transaction(*db_, Transaction::Kind::Read);
  std::vector<std::uint32_t> out;
  for (const auto& row : read_key_chains()) out.push_back(row.state.next_unissued);
  return out;
}

bool WalletRepository::issue(std::size_t chain, std::uint32_t index) {
  Transaction transaction = begin_shared();
  require_named();
  read_setup();
  KeyChainRow row = key_chains_.at(chain);
  const bool used = row.config.descriptor.is_ranged() && row.state.last_used && *row.state.last_used >= index;
  if (row.state.next_unissued > index || used) return false;
  // The gap limit keeps it there; see KeyRing::issue.
  if (index >= row.state.watched) throw_corrupt("watched scripts");
  row.state.next_unissued = index + 1;
  const auto id = static_cast<std::int64_t>(chain);
  Statement update = db_->prepare(kSetChain);
  bind_key_chain(update, id, row);
  update.bind(7, id).run();
  transaction.commit();
  key_chains_.at(chain) = std::move(row);
  if (keep_) keep_(db_->image());
  return true;
}

std::vector<wallet::Label> WalletRepository::labels() {
  const Transaction transaction(*db_, Transaction::Kind::Read);
  return read_labels(*db_);
}

std::vector<chain::OutPoint> WalletRepository::frozen() { return frozen_outputs(labels()); }

void WalletRepository::change_labels(const std::vector<wallet::LabelChange>& changes) {
  Transaction transaction = begin_shared();
  require_named();
  write_labels(*db_, changes);
  transaction.commit();
  if (keep_) keep_(db_->image());
}

TxTotals WalletRepository::write_transactions(const std::vector<wallet::TxRecord>& records, TxTotals totals) {
  for (const auto& record : records) {
    Statement& find = statements_->find_tx;
    find.bind(1, record.txid.view());
    if (find.step()) {
      const util::ByteView old = find.blob(0);
      Checksum checksum{};
      if (old.size() != checksum.size()) throw_corrupt("transaction row");
      std::copy(old.begin(), old.end(), checksum.begin());
      totals.toggle(checksum);
    } else {
      ++totals.count;
    }
    find.reset();
    totals.toggle(bind_tx(statements_->put_tx, record));
    statements_->put_tx.run();
  }
  return totals;
}

std::optional<StoredSecret> WalletRepository::secret() {
  const Transaction transaction(*db_, Transaction::Kind::Read);
  Statement query = db_->prepare(select(kSecretColumns, "secret"));
  if (!query.step()) return std::nullopt;
  return read_secret(query);
}

bool WalletRepository::replace_secret(const StoredSecret& secret) {
  require_writer();
  util::ensure(info_.kind == WalletKind::Mnemonic, "a watch-only wallet has no secret");
  Transaction transaction(*db_, Transaction::Kind::Write);
  Statement update = db_->prepare("UPDATE secret SET format = ?1, data = ?2, checksum = ?3 WHERE id = 1");
  bind_secret(update, secret);
  update.run();
  transaction.commit();
  info_.encrypted = secret.format == StoredSecret::Format::Encrypted;
  if (keep_) keep_(db_->image());
  // The log may still hold the old one: into the file with it, where it is overwritten, and start the log anew.
  return db_->integer("PRAGMA wal_checkpoint(TRUNCATE)") == 0;
}

void WalletRepository::require_writer() const {
  util::ensure(statements_ != nullptr, "the wallet is not open for writing");
}

void WalletRepository::require_named() const {
  if (name_ && !name_->holds()) throw moved(name_->path());
}

// SQLite notices it too, and then speaks of a database that it may not write.
Transaction WalletRepository::begin_shared() {
  util::ensure(mode_ != Mode::ReadOnly, "the wallet is open for reading only");
  try {
    return {*db_, Transaction::Kind::Write};
  } catch (const StoreError&) {
    require_named();
    throw;
  }
}

}  // namespace spv::store
