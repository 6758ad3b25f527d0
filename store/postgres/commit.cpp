#include "store/postgres/commit.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "store/postgres/database_wallet.h"
#include "store/postgres/stored_scripts.h"
#include "util/ensure.h"

namespace spv::store::postgres {
namespace {

DatabaseWallet& wallet_of(const WalletChanges& each) {
  auto* wallet = dynamic_cast<DatabaseWallet*>(each.wallet);
  util::ensure(wallet != nullptr, "a wallet of another store");
  return *wallet;
}

// What the wallet has derived, and what it has not told of that.
void add_scripts(DatabaseWallet& wallet, const wallet::Changes& changes, NewScripts& scripts) {
  if (changes.scripts.empty() && changes.key_chains.empty()) return;
  std::vector<std::uint32_t> stored;
  for (const auto& chain : wallet.chains()) stored.push_back(chain.stored);
  for (const auto& given : changes.scripts) {
    if (given.first > stored.at(given.chain)) continue;  // there must be no hole
    stored[given.chain] = std::max(stored[given.chain], given.first + static_cast<std::uint32_t>(given.scripts.size()));
    scripts.add(wallet.id(), given);
  }
  for (const auto& [chain, state] : changes.key_chains) {
    scripts.fill(wallet.id(), wallet.chains().at(chain).descriptor, chain, stored.at(chain), state.watched);
  }
}

void add_changes(DatabaseWallet& wallet, const wallet::Changes& changes, WriteBatch& rows) {
  const std::int64_t id = wallet.id();
  rows.add_transactions(id, changes.transactions);
  for (const auto& [chain, state] : changes.key_chains) rows.set_key_chain(id, chain, state);
  if (changes.scan) rows.set_scan(id, *changes.scan);
  if (changes.birthday) rows.set_birthday(id, *changes.birthday);
  rows.add_events(id, changes.events);
  if (changes.synced) rows.set_synced(id, *changes.synced);
}

void write_rows(Backend& backend, const std::vector<HeldShard>& shards, WriteBatch& rows, NewScripts& scripts,
                util::UnixTime now) {
  backend.commits.use([&](Connection& connection) {
    scripts.add_to(rows, connection);
    run_fenced(backend, connection, shards, rows.commands(now));
  });
}

// Which of them another process has. Where that cannot be told, the wallets must be opened anew.
void note_lost(Backend& backend, std::span<WalletChanges> batch) {
  const std::vector<HeldShard> held = backend.leases.held();
  for (auto& each : batch) each.lost = !std::ranges::binary_search(held, wallet_of(each).shard());
  if (std::ranges::any_of(batch, &WalletChanges::lost)) return;
  throw StoreError(StoreError::Kind::Unreachable, "another worker has taken over a wallet; open the wallets again");
}

}  // namespace

void commit_batch(Backend& backend, std::span<WalletChanges> batch, util::UnixTime now) {
  std::map<std::int64_t, DatabaseWallet*> wallets;
  std::vector<HeldShard> shards;
  WriteBatch rows;
  NewScripts scripts;
  for (const auto& each : batch) {
    if (each.changes->empty()) continue;
    DatabaseWallet& wallet = wallet_of(each);
    util::ensure(wallets.emplace(wallet.id(), &wallet).second, "each wallet once in a batch");
    shards.push_back(wallet.shard());
    add_changes(wallet, *each.changes, rows);
    add_scripts(wallet, *each.changes, scripts);
  }
  std::ranges::sort(shards);
  shards.erase(std::unique(shards.begin(), shards.end()), shards.end());
  try {
    if (!wallets.empty()) write_rows(backend, shards, rows, scripts, now);
  } catch (const StoreError& error) {
    if (error.kind() == StoreError::Kind::Fenced) note_lost(backend, batch);
    throw;
  }
  for (const auto& [id, list] : scripts.all()) {
    wallets.at(id)->note_stored(list.chain, list.first + static_cast<std::uint32_t>(list.scripts.size()));
  }
  for (auto& each : batch) {
    each.done = true;
    if (each.changes->scan) backend.leases.report_height(each.changes->scan->scanned_to.height);
  }
}

}  // namespace spv::store::postgres
