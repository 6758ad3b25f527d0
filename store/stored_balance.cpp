#include "store/stored_balance.h"

#include "store/rows.h"
#include "store/schema.h"
#include "store/sql.h"
#include "store/wallet_file.h"

namespace spv::store {
namespace {

constexpr std::string_view kColumns = "confirmed, unconfirmed, immature, scanned, lasts, checksum";

struct BalanceRow {
  wallet::Balance balance;
  std::int64_t scanned = -1;
  bool lasts = false;
};

/// Over the row and all that the balance was computed from, but for the scanned height, which `scanned` and `lasts`
/// are for. Of a key chain not what others change: which addresses are handed out.
Checksum checksum_of(Database& db, const BalanceRow& row) {
  util::Writer values;
  values.var_string("balance").var_string(SPV_VERSION);
  Statement wallet = db.prepare("SELECT checksum FROM wallet");
  while (wallet.step()) values.var_bytes(wallet.blob(0));
  Statement chains = db.prepare("SELECT descriptor, watched FROM key_chain ORDER BY id");
  while (chains.step()) values.var_string(chains.text(0)).integer(chains.integer(1));
  Statement totals = db.prepare("SELECT tx_count, tx_sum FROM scan");
  while (totals.step()) values.integer(totals.integer(0)).var_bytes(totals.blob(1));
  values.integer(row.balance.confirmed).integer(row.balance.unconfirmed).integer(row.balance.immature);
  values.integer(row.scanned).integer(std::uint8_t{row.lasts});
  return checksum_over(values);
}

std::optional<BalanceRow> read_row(Database& db) {
  Statement query = db.prepare(select(kColumns, "balance"));
  if (!query.step()) return std::nullopt;
  const BalanceRow row{
      .balance = {.confirmed = query.integer(0), .unconfirmed = query.integer(1), .immature = query.integer(2)},
      .scanned = query.integer(3),
      .lasts = query.integer(4) == 1};
  const bool sound = read_checksum(query.blob(5), "balance row") == checksum_of(db, row);
  return sound ? std::optional(row) : std::nullopt;
}

/// No sum is beyond these; see balance_of().
bool is_possible(const wallet::Balance& balance) {
  return chain::is_money(balance.confirmed) && chain::is_money(balance.immature) &&
         balance.unconfirmed >= -chain::kMaxMoney && balance.unconfirmed <= chain::kMaxMoney;
}

bool is_of(const BalanceRow& row, chain::Height scanned) {
  return row.scanned == scanned || (row.lasts && row.scanned < scanned);
}

}  // namespace

void write_balance(Database& db, const wallet::CountedBalance& counted) {
  const auto scanned = db.integer("SELECT height FROM scan");
  const auto transactions = db.integer("SELECT tx_count FROM scan");
  if (scanned != counted.scanned || transactions != static_cast<std::int64_t>(counted.transactions)) return;
  const BalanceRow row{.balance = counted.balance, .scanned = scanned, .lasts = counted.lasts};
  const Checksum checksum = checksum_of(db, row);
  Statement put = db.prepare("INSERT OR REPLACE INTO balance (" + with_id(kColumns) + ") VALUES (?, ?, ?, ?, ?, ?, 1)");
  put.bind(1, row.balance.confirmed).bind(2, row.balance.unconfirmed).bind(3, row.balance.immature);
  put.bind(4, row.scanned).bind(5, std::int64_t{row.lasts}).bind(6, util::ByteView(checksum)).run();
}

std::optional<StoredBalance> read_balance(Database& db) {
  const auto row = read_row(db);
  if (!row || !is_possible(row->balance)) return std::nullopt;
  Statement wallet_query = db.prepare(select(kWalletColumns, "wallet"));
  Statement scan_query = db.prepare(select(kScanColumns, "scan"));
  if (!wallet_query.step() || !scan_query.step()) return std::nullopt;
  StoredBalance out{.balance = row->balance,
                    .birthday = read_wallet(wallet_query).config.birthday,
                    .scan = read_scan(scan_query).scan};
  if (!is_of(*row, out.scan.scanned_to.height)) return std::nullopt;
  return out;
}

std::optional<StoredBalance> balance_of_file(const std::filesystem::path& name, chain::Network network) {
  try {
    const std::filesystem::path path = resolve_existing(name);
    prepare_existing(path);
    Database db(path, Database::Mode::ReadOnly);
    const bool ours =
        db.integer("PRAGMA application_id") == kApplicationId && db.integer("PRAGMA user_version") == kSchemaVersion;
    if (!ours) return std::nullopt;
    check_tables(db);
    const Transaction transaction(db, Transaction::Kind::Read);
    if (db.text("SELECT network FROM wallet") != chain::params(network).name) return std::nullopt;
    return read_balance(db);
  } catch (const StoreError&) {
    return std::nullopt;
  }
}

}  // namespace spv::store
