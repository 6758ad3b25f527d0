#include "store/wallet_repository.h"

#include <algorithm>
#include <string>
#include <utility>

#include "store/labels.h"
#include "store/new_wallet_file.h"
#include "store/schema.h"
#include "store/scripts.h"
#include "store/sql.h"
#include "store/stored_balance.h"
#include "store/wallet_file.h"
#include "util/codec.h"
#include "util/ensure.h"
#include "util/hash.h"

namespace spv::store {
namespace {

constexpr std::string_view kSetChain =
    "UPDATE key_chain SET descriptor = ?1, is_change = ?2, watched = ?3, last_used = ?4, next_unissued = ?5,"
    " checksum = ?6 WHERE id = ?7";

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

// Made once for as long as a writer has the file open.
struct WalletRepository::Statements {
  explicit Statements(Database& db)
      : find_tx(db.prepare("SELECT checksum FROM tx WHERE txid = ?1")),
        put_tx(db.prepare(insert("tx", kTxColumns) +
                          " ON CONFLICT (txid) DO UPDATE SET raw = ?2, block_height = ?3, block_hash = ?4,"
                          " block_time = ?5, block_index = ?6, first_seen = ?7, sequence = ?8, proof = ?9,"
                          " checksum = ?10, seen_at = ?11, send_state = ?12, peers_accepted = ?13")),
        set_scan(db.prepare("UPDATE scan SET height = ?1, hash = ?2, backfill_from = ?3, backfill_to = ?4,"
                            " anchors = ?5, tx_count = ?6, tx_sum = ?7, checksum = ?8, attested = ?9 WHERE id = 1")),
        set_wallet(db.prepare("UPDATE wallet SET network = ?1, kind = ?2, created = ?3, fingerprint = ?4,"
                              " gap_limit = ?5, birthday = ?6, birthday_time = ?7, filter_tweak = ?8, decoy_seed = ?9,"
                              " key_chains = ?10, checksum = ?11 WHERE id = 1")) {}
  Statement find_tx;
  Statement put_tx;
  Statement set_scan;
  Statement set_wallet;
};

WalletRepository::WalletRepository(WalletRepository&&) noexcept = default;
WalletRepository& WalletRepository::operator=(WalletRepository&&) noexcept = default;
WalletRepository::~WalletRepository() = default;

WalletRepository::WalletRepository(std::filesystem::path path, Mode mode, std::optional<FileLock> lock)
    : path_(std::move(path)), mode_(mode), lock_(std::move(lock)) {
  if (mode_ == Mode::ReadWrite) at_rest_ = FileAtRest::find(path_);
  const auto read = [this] {
    check_and_read_header();
    return true;
  };
  if (!read_at_rest(read)) read();
}

void WalletRepository::check_and_read_header() {
  check_file(db());
  if (mode_ == Mode::ReadWrite && !at_rest_) migrate(db());
  check_tables(db());
  read_header();
}

Database& WalletRepository::db() {
  if (!db_) db_ = std::make_unique<Database>(path_, at_rest_ ? Mode::AtRest : mode_);
  return *db_;
}

void WalletRepository::wake() {
  if (!at_rest_) return;
  statements_.reset();
  db_.reset();
  at_rest_.reset();
}

Transaction WalletRepository::begin(Transaction::Kind kind) {
  wake();
  return {db(), kind};
}

template <typename Read>
auto WalletRepository::read_at_rest(Read read) -> std::optional<decltype(read())> {
  if (!at_rest_) return std::nullopt;
  try {
    auto found = read();
    if (at_rest_->holds()) return found;
  } catch (const StoreError&) {  // NOLINT(bugprone-empty-catch): maybe of a file that changed; read it again
  }
  wake();
  return std::nullopt;
}

WalletRepository::Statements& WalletRepository::statements() {
  require_writer();
  if (!statements_) statements_ = std::make_unique<Statements>(db());
  return *statements_;
}

void WalletRepository::rest() {
  if (mode_ != Mode::ReadWrite) return;
  statements_.reset();
  db_.reset();
}

WalletRepository WalletRepository::create(const std::filesystem::path& name, const Contents& contents,
                                          const WalletInfo& info, const std::optional<StoredSecret>& secret,
                                          const std::function<void()>& before_naming) {
  FileLock lock = make_wallet_file(name, {contents, info, secret}, before_naming);
  return {resolve_existing(name), Mode::ReadWrite, std::move(lock)};
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
  WalletRepository repository(path, mode, std::move(lock));
  repository.name_ = std::move(file_name);
  repository.require_network(network);
  if (mode != Mode::ReadOnly && !repository.at_rest_) use_log(repository.db());
  return repository;
}

void WalletRepository::require_network(std::optional<chain::Network> network) const {
  if (!network || *network == this->network()) return;
  throw StoreError(StoreError::Kind::WrongNetwork,
                   "this is a wallet of the network " + std::string(chain::params(this->network()).name) + ", not of " +
                       std::string(chain::params(*network).name) + "; use --network or choose another wallet");
}

void WalletRepository::read_header() {
  const Transaction transaction(db(), Transaction::Kind::Read);
  const WalletRow wallet = read_wallet_row();
  config_ = wallet.config;
  info_ = wallet.info;
  // To read them takes as long as all else that is read here; load() does.
  key_chains_ = static_cast<std::size_t>(db().integer("SELECT count(*) FROM key_chain"));
  if (static_cast<std::int64_t>(key_chains_) != wallet.key_chains) throw_corrupt("number of key chains");
  totals_ = read_scan_row().totals;
  // Only what it is; the secret itself is left alone until somebody asks for it.
  Statement secret_row = db().prepare("SELECT format FROM secret");
  const bool found = secret_row.step();
  if (found != (info_.kind == WalletKind::Mnemonic)) throw_corrupt("secret");
  info_.encrypted = found && secret_row.integer(0) == static_cast<std::int64_t>(StoredSecret::Format::Encrypted);
}

WalletRow WalletRepository::read_wallet_row() {
  Statement query = db().prepare(select(kWalletColumns, "wallet"));
  if (!query.step()) throw_corrupt("no wallet row");
  return read_wallet(query);
}

WalletRepository::Setup WalletRepository::read_setup() {
  Setup setup{.wallet = read_wallet_row(), .key_chains = {}, .scan = {}};
  config_ = setup.wallet.config;  // the key chains are read by its network
  setup.key_chains = read_key_chains();
  if (static_cast<std::int64_t>(setup.key_chains.size()) != setup.wallet.key_chains) {
    throw_corrupt("number of key chains");
  }
  setup.scan = read_scan_row();
  return setup;
}

ScanRow WalletRepository::read_scan_row() {
  Statement query = db().prepare(select(kScanColumns, "scan"));
  if (!query.step()) throw_corrupt("no scan row");
  return read_scan(query);
}

std::vector<KeyChainRow> WalletRepository::read_key_chains() {
  std::vector<KeyChainRow> rows;
  Statement query = db().prepare(select(kKeyChainColumns, "key_chain ORDER BY id"));
  while (query.step()) rows.push_back(read_key_chain(query, static_cast<std::int64_t>(rows.size()), config_));
  return rows;
}

WalletContents WalletRepository::load() {
  auto contents = read_at_rest([this] { return read_contents(); });
  if (!contents) {
    const Transaction transaction = begin(Transaction::Kind::Read);
    contents = read_contents();
  }
  wake();
  return std::move(*contents);
}

WalletCopy WalletRepository::copy() {
  const Transaction transaction = begin(Transaction::Kind::Read);
  WalletCopy copy{.contents = read_contents(), .info = info_, .secret = read_secret_row(), .labels = read_labels(db())};
  copy.info.encrypted = copy.secret && copy.secret->format == StoredSecret::Format::Encrypted;
  return copy;
}

WalletContents WalletRepository::read_contents() {
  Contents contents;
  TxTotals totals;
  Setup setup = read_setup();
  Statement query = db().prepare(select(kTxColumns, "tx ORDER BY id"));
  while (query.step()) {
    TxRow row = read_tx(query);
    totals.toggle(row.checksum);
    ++totals.count;
    contents.state.transactions.push_back(std::move(row.record));
  }
  if (totals != setup.scan.totals) throw_corrupt("a transaction is missing or there twice");
  contents.state.frozen = frozen_outputs(read_labels(db()));
  contents.state.told = read_told(db());
  contents.state.synced = read_synced(db());
  contents.state.scripts = read_scripts(db(), setup.key_chains);
  contents.config = std::move(setup.wallet.config);
  for (KeyChainRow& row : setup.key_chains) {
    contents.config.key_chains.push_back(std::move(row.config));
    contents.state.key_chains.push_back(row.state);
  }
  totals_ = setup.scan.totals;
  contents.state.scan = std::move(setup.scan.scan);
  return contents;
}

void WalletRepository::commit(const wallet::Changes& changes, util::UnixTime now) {
  require_writer();
  if (changes.empty()) return;
  Transaction transaction = begin(Transaction::Kind::Write);
  // Kept apart until the commit is through: a failed one must leave us as we were.
  wallet::WalletConfig config = config_;
  ScanRow scan = changes.scan ? ScanRow{.scan = *changes.scan, .totals = totals_} : read_scan_row();
  scan.totals = write_transactions(changes.transactions, scan.totals);
  for (const auto& change : changes.key_chains) write_chain(change.chain, change.state);
  if (changes.scan || !changes.transactions.empty()) write_scan(scan);
  if (changes.birthday) {
    config.birthday = *changes.birthday;
    config.birthday_time.reset();
    write_config(config, key_chains_);
  }
  write_scripts(db(), changes.scripts);
  write_events(db(), changes.events, now);
  if (changes.synced && *changes.synced) tell_synced(db(), now);
  if (changes.synced && !*changes.synced) write_synced(db(), false);
  if (changes.balance) write_balance(db(), *changes.balance);
  transaction.commit();
  totals_ = scan.totals;
  config_ = std::move(config);
}

bool WalletRepository::lacks_balance() {
  const Transaction transaction = begin(Transaction::Kind::Read);
  return !read_balance(db());
}

void WalletRepository::write_scan(const ScanRow& scan) {
  bind_scan(statements().set_scan, scan);
  statements().set_scan.run();
}

void WalletRepository::write_config(const wallet::WalletConfig& config, std::size_t key_chains) {
  bind_wallet(statements().set_wallet, {config, info_, static_cast<std::int64_t>(key_chains)});
  statements().set_wallet.run();
}

std::vector<StoredEvent> WalletRepository::events(std::int64_t after, std::size_t limit) {
  const auto read = [&] { return read_events(db(), after, limit); };
  if (auto found = read_at_rest(read)) return std::move(*found);
  const Transaction transaction = begin(Transaction::Kind::Read);
  return read();
}

void WalletRepository::continue_events(std::int64_t number) {
  require_writer();
  const auto is_behind = [&] { return last_event(db()) < number; };
  if (!read_at_rest(is_behind).value_or(true)) return;
  Transaction transaction = begin(Transaction::Kind::Write);
  if (!is_behind()) return;
  skip_events(db(), number);
  transaction.commit();
}

void WalletRepository::owe_synced() {
  require_writer();
  Transaction transaction = begin(Transaction::Kind::Write);
  if (!read_synced(db())) return;
  write_synced(db(), false);
  transaction.commit();
}

std::uint64_t identity_of(const WalletInfo& info, const wallet::WalletConfig& config) {
  util::Writer values;
  values.integer(info.created).integer(config.filter.tweak).integer(config.filter.decoy_seed);
  return util::Reader(util::sha256(values.data()).bytes).integer<std::uint64_t>();
}

KeyChainRow WalletRepository::read_stored_chain(std::size_t chain) {
  const auto id = static_cast<std::int64_t>(chain);
  Statement query = db().prepare(select(kKeyChainColumns, "key_chain WHERE id = ?1"));
  query.bind(1, id);
  if (!query.step()) throw_corrupt("number of key chains");
  return read_key_chain(query, id, config_);
}

void WalletRepository::write_chain(std::size_t chain, wallet::KeyChainState state) {
  KeyChainRow row = read_stored_chain(chain);
  // Another process may have handed out addresses since this one looked.
  state.next_unissued = std::max(state.next_unissued, row.state.next_unissued);
  row.state = state;
  write_chain_row(chain, row);
}

void WalletRepository::write_chain_row(std::size_t chain, const KeyChainRow& row) {
  const auto id = static_cast<std::int64_t>(chain);
  Statement update = db().prepare(kSetChain);
  bind_key_chain(update, id, row);
  update.bind(7, id).run();
}

void WalletRepository::reconfigure(const Contents& contents) {
  require_writer();
  const auto& [config, state] = contents;
  util::ensure(config.key_chains.size() == state.key_chains.size(), "one state for each key chain");
  util::ensure(config.key_chains.size() >= key_chains_, "no key chain is taken away");
  Transaction transaction = begin(Transaction::Kind::Write);
  Statement add = db().prepare(insert("key_chain", with_id(kKeyChainColumns)));
  for (std::size_t i = 0; i < config.key_chains.size(); ++i) {
    if (i < key_chains_) {
      write_chain(i, state.key_chains[i]);
      continue;
    }
    const auto id = static_cast<std::int64_t>(i);
    bind_key_chain(add, id, {.config = config.key_chains[i], .state = state.key_chains[i]});
    add.bind(7, id).run();
  }
  write_scan({.scan = state.scan, .totals = totals_});
  write_synced(db(), state.synced);
  wallet::WalletConfig bare = config;
  bare.key_chains.clear();
  write_config(bare, config.key_chains.size());
  transaction.commit();
  config_ = std::move(bare);
  key_chains_ = config.key_chains.size();
}

std::vector<std::uint32_t> WalletRepository::issued() {
  const Transaction transaction = begin(Transaction::Kind::Read);
  std::vector<std::uint32_t> out;
  for (const auto& row : read_key_chains()) out.push_back(row.state.next_unissued);
  return out;
}

bool WalletRepository::issue(std::size_t chain, std::uint32_t index) {
  Transaction transaction = begin_shared();
  require_named();
  KeyChainRow row = read_setup().key_chains.at(chain);
  const bool used = row.config.descriptor.is_ranged() && row.state.last_used && *row.state.last_used >= index;
  if (row.state.next_unissued > index || used) return false;
  // The gap limit keeps it there; see KeyRing::issue.
  if (index >= row.state.watched) throw_corrupt("watched scripts");
  row.state.next_unissued = index + 1;
  write_chain_row(chain, row);
  transaction.commit();
  return true;
}

std::vector<wallet::Label> WalletRepository::labels() {
  const Transaction transaction = begin(Transaction::Kind::Read);
  return read_labels(db());
}

std::vector<chain::OutPoint> WalletRepository::frozen() { return frozen_outputs(labels()); }

void WalletRepository::change_labels(const std::vector<wallet::LabelChange>& changes) {
  Transaction transaction = begin_shared();
  require_named();
  write_labels(db(), changes);
  transaction.commit();
}

TxTotals WalletRepository::write_transactions(const std::vector<wallet::TxRecord>& records, TxTotals totals) {
  for (const auto& record : records) {
    Statement& find = statements().find_tx;
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
    totals.toggle(bind_tx(statements().put_tx, record));
    statements().put_tx.run();
  }
  return totals;
}

std::optional<StoredSecret> WalletRepository::secret() {
  const Transaction transaction = begin(Transaction::Kind::Read);
  return read_secret_row();
}

std::optional<StoredSecret> WalletRepository::read_secret_row() {
  Statement query = db().prepare(select(kSecretColumns, "secret"));
  if (!query.step()) return std::nullopt;
  return read_secret(query);
}

bool WalletRepository::replace_secret(const StoredSecret& secret) {
  require_writer();
  util::ensure(info_.kind == WalletKind::Mnemonic, "a watch-only wallet has no secret");
  Transaction transaction = begin(Transaction::Kind::Write);
  Statement update = db().prepare("UPDATE secret SET format = ?1, data = ?2, checksum = ?3 WHERE id = 1");
  bind_secret(update, secret);
  update.run();
  transaction.commit();
  info_.encrypted = secret.format == StoredSecret::Format::Encrypted;
  // The log may still hold the old one: into the file with it, where it is overwritten, and start the log anew.
  return db().integer("PRAGMA wal_checkpoint(TRUNCATE)") == 0;
}

void WalletRepository::require_writer() const {
  util::ensure(mode_ == Mode::ReadWrite, "the wallet is not open for writing");
}

void WalletRepository::require_named() const {
  if (name_ && !name_->holds()) throw moved(name_->path());
}

// SQLite notices it too, and then speaks of a database that it may not write.
Transaction WalletRepository::begin_shared() {
  util::ensure(mode_ != Mode::ReadOnly, "the wallet is open for reading only");
  try {
    return begin(Transaction::Kind::Write);
  } catch (const StoreError&) {
    require_named();
    throw;
  }
}

}  // namespace spv::store
