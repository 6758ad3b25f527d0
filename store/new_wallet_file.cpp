#include "store/new_wallet_file.h"

#include "store/labels.h"
#include "store/outbox.h"
#include "store/rows.h"
#include "store/schema.h"
#include "store/scripts.h"
#include "store/sql.h"
#include "store/wallet_file.h"
#include "util/ensure.h"

namespace spv::store {
namespace {

void write_wallet_row(Database& db, const wallet::WalletConfig& config, const WalletInfo& info) {
  Statement row = db.prepare(insert("wallet", with_id(kWalletColumns)));
  bind_wallet(row, {.config = config, .info = info, .key_chains = static_cast<std::int64_t>(config.key_chains.size())});
  row.bind(12, std::int64_t{1}).run();
}

void write_key_chains(Database& db, const WalletContents& contents) {
  Statement row = db.prepare(insert("key_chain", with_id(kKeyChainColumns)));
  for (std::size_t i = 0; i < contents.config.key_chains.size(); ++i) {
    const auto id = static_cast<std::int64_t>(i);
    bind_key_chain(row, id, {.config = contents.config.key_chains[i], .state = contents.state.key_chains[i]});
    row.bind(7, id).run();
  }
}

void write_known_scripts(Database& db, const std::vector<wallet::ScriptList>& scripts) {
  std::vector<wallet::ChainScripts> rows;
  for (std::size_t chain = 0; chain < scripts.size(); ++chain) {
    if (!scripts[chain].empty()) rows.push_back({.chain = chain, .first = 0, .scripts = scripts[chain]});
  }
  write_scripts(db, rows);
}

void write_transactions_and_scan(Database& db, const wallet::WalletState& state) {
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
}

void write_secret(Database& db, const StoredSecret& secret) {
  Statement row = db.prepare(insert("secret", with_id(kSecretColumns)));
  bind_secret(row, secret);
  row.bind(4, std::int64_t{1}).run();
}

void write_all(Database& db, const NewStoredWallet& wallet) {
  const auto& [contents, info, secret, labels] = wallet;
  util::ensure(contents.config.key_chains.size() == contents.state.key_chains.size(), "one state for each key chain");
  util::ensure(secret.has_value() == (info.kind == WalletKind::Mnemonic), "a watch-only wallet has no secret");
  Transaction transaction(db, Transaction::Kind::Write);
  write_wallet_row(db, contents.config, info);
  write_key_chains(db, contents);
  write_known_scripts(db, contents.state.scripts);
  write_transactions_and_scan(db, contents.state);
  if (secret) write_secret(db, *secret);
  if (!labels.empty()) write_labels(db, changes_to(labels));
  transaction.commit();
}

void write_draft(const std::filesystem::path& path, const NewStoredWallet& wallet) {
  make_draft(path);
  Database db(draft_path(path), Database::Mode::ReadWrite);
  create_schema(db);
  db.execute("PRAGMA journal_mode = WAL");
  write_all(db, wallet);
  // Closing would do the same, but keep silent if it fails, and the log does not get the new name.
  if (db.integer("PRAGMA wal_checkpoint(TRUNCATE)") != 0) {
    throw StoreError(StoreError::Kind::Io, "the new wallet could not be written completely; try again");
  }
}

}  // namespace

FileLock make_wallet_file(const std::filesystem::path& name, const NewStoredWallet& wallet,
                          const std::function<void()>& before_naming) {
  const std::filesystem::path path = resolve_new(name);
  require_absent(path);
  FileLock lock(path);
  try {
    require_absent(path);
    write_draft(path, wallet);
    if (before_naming) before_naming();
    publish_draft(path);
  } catch (...) {
    remove_draft(path);
    lock.remove_file();
    throw;
  }
  return lock;
}

}  // namespace spv::store
