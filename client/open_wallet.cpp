#include "client/open_wallet.h"

#include <utility>

#include "store/checks.h"
#include "store/file_store.h"
#if SPV_WITH_POSTGRES
#include "store/postgres/database_store.h"
#endif

namespace spv::client {
namespace {

void commit_one(OpenWallet& open, const wallet::Changes& changes, util::UnixTime now) {
  store::WalletChanges batch{.wallet = open.stored.get(), .changes = &changes};
  open.store->commit({&batch, 1}, now);
}

// What an earlier version left out is corrected, in the store too if it may be written: scripts that are not stored
// would be derived again each time.
OpenWallet load(const std::shared_ptr<store::Store>& store, store::Store::Opened opened, store::Access access) {
  auto& [stored, contents] = opened;
  wallet::Wallet wallet(std::move(contents.config), std::move(contents.state));
  OpenWallet open{store, std::move(stored), std::move(wallet)};
  auto corrected = open.wallet.mark_shared_scripts();
  corrected.merge(open.wallet.take_derived());
  const bool any = !corrected.key_chains.empty() || !corrected.scripts.empty();
  if (access == store::Access::Write && any) commit_one(open, corrected, 0);
  return open;
}

std::shared_ptr<store::Store> open_database(const std::string& url, chain::Network network) {
#if SPV_WITH_POSTGRES
  const auto parsed = store::postgres::parse_database_url(url);
  if (!parsed) throw store::StoreError(store::StoreError::Kind::NoDatabase, parsed.error().message);
  return std::make_shared<store::postgres::DatabaseStore>(*parsed, network);
#else
  static_cast<void>(url);
  static_cast<void>(network);
  throw store::StoreError(store::StoreError::Kind::NoDatabase, "this spv was built without PostgreSQL");
#endif
}

}  // namespace

std::shared_ptr<store::Store> make_store(const DataFolder& folder, chain::Network network,
                                         const std::string& database) {
  if (!database.empty()) return open_database(database, network);
  return std::make_shared<store::FileStore>(folder.wallets(), folder.events(), network);
}

OpenWallet open_wallet(const std::shared_ptr<store::Store>& store, const std::string& name, store::Access access) {
  auto stored = store->open(name, access);
  auto contents = stored->load();
  return load(store, {std::move(stored), std::move(contents)}, access);
}

std::vector<OpenWallet> open_wallets(const std::shared_ptr<store::Store>& store, const std::vector<std::string>& names,
                                     store::Access access) {
  std::vector<OpenWallet> out;
  out.reserve(names.size());
  for (auto& opened : store->open_all(names, access)) out.push_back(load(store, std::move(opened), access));
  return out;
}

std::vector<wallet::TxEvent> commit_changes(OpenWallet& open, wallet::Changes changes, util::UnixTime now) {
  changes.merge(open.wallet.tell());
  commit_one(open, changes, now);
  return std::move(changes.events);
}

std::vector<wallet::TxEvent> commit_with_balance(OpenWallet& open, wallet::Changes changes, util::UnixTime now) {
  changes.merge(open.wallet.tell());
  changes.balance = open.wallet.counted_balance();
  commit_one(open, changes, now);
  return std::move(changes.events);
}

void keep_balance(OpenWallet& open) noexcept {
  try {
    if (!open.stored->lacks_balance()) return;
    wallet::Changes changes;
    changes.balance = open.wallet.counted_balance();
    commit_one(open, changes, 0);
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): see the header
  }
}

void fail_foreign_script() { store::throw_corrupt("a script does not match its descriptor"); }

void note_issued(OpenWallet& open) {
  const auto issued = open.stored->issued();
  for (std::size_t chain = 0; chain < issued.size(); ++chain) open.wallet.note_issued(chain, issued[chain]);
}

void note_frozen(OpenWallet& open) { open.wallet.set_frozen(open.stored->frozen()); }

}  // namespace spv::client
