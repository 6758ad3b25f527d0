#include "store/postgres/commit.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "store/postgres/database_wallet.h"
#include "store/postgres/stored_scripts.h"
#include "store/postgres/transaction.h"
#include "util/ensure.h"

namespace spv::store::postgres {
namespace {

/// Of a transaction that another one was in the way of.
constexpr int kMaxTries = 5;

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
}

void run_commit(Connection& connection, const std::vector<Command>& commands) {
  for (int tries = 1;; ++tries) {
    try {
      run_transaction(connection, commands);
      return;
    } catch (const DatabaseError& error) {
      if (error.kind() != StoreError::Kind::Retry || tries == kMaxTries) throw;
    }
  }
}

void write_fenced(Backend& backend, const std::vector<HeldShard>& shards, WriteBatch& rows, NewScripts& scripts,
                  util::UnixTime now) {
  backend.commits.use([&](Connection& connection) {
    scripts.add_to(rows, connection);
    std::vector<Command> commands = rows.commands(now);
    commands.insert(commands.begin(), backend.leases.fence(shards));
    run_commit(connection, commands);
  });
}

// Who opens a wallet anew must not be given the lease that is lost.
void note_lost(Backend& backend, std::span<WalletChanges> batch) {
  backend.leases.refresh();
  const std::vector<HeldShard> held = backend.leases.held();
  for (auto& each : batch) each.lost = !std::ranges::binary_search(held, wallet_of(each).shard());
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
    if (!wallets.empty()) write_fenced(backend, shards, rows, scripts, now);
  } catch (const StoreError& error) {
    if (error.kind() == StoreError::Kind::Fenced) note_lost(backend, batch);
    throw;
  }
  for (const auto& [id, list] : scripts.all()) {
    wallets.at(id)->note_stored(list.chain, list.first + static_cast<std::uint32_t>(list.scripts.size()));
  }
  for (auto& each : batch) each.done = true;
}

}  // namespace spv::store::postgres
