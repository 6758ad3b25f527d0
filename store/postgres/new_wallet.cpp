#include "store/postgres/new_wallet.h"

#include <bit>
#include <utility>

#include "store/labels.h"
#include "store/postgres/event_rows.h"
#include "store/postgres/label_table.h"
#include "store/postgres/leases.h"
#include "store/postgres/notices.h"
#include "store/postgres/stored_scripts.h"
#include "store/postgres/transaction.h"
#include "store/postgres/wallet_sql.h"
#include "store/wall_time.h"
#include "util/ensure.h"

namespace spv::store::postgres {
namespace {

std::int64_t insert_wallet_row(Connection& connection, const std::string& name, const NewStoredWallet& wallet) {
  const auto& config = wallet.contents.config;
  std::optional<util::ByteView> fingerprint;
  if (wallet.info.fingerprint) fingerprint = *wallet.info.fingerprint;
  const Params params = Params()
                            .text(name)
                            .smallint(shard_of(name))
                            .text(to_string(wallet.info.kind))
                            .bytea(fingerprint)
                            .integer(static_cast<std::int32_t>(config.gap_limit))
                            .integer(config.birthday)
                            .bigint(config.birthday_time)
                            .bigint(config.filter.tweak)
                            .bigint(std::bit_cast<std::int64_t>(config.filter.decoy_seed))
                            .bigint(wallet.info.created);
  try {
    return connection.run(sql::kInsertWallet, params).bigint(0, 0);
  } catch (const DatabaseError& error) {
    if (error.sqlstate() == kUniqueViolation) throw_exists(name);
    throw;
  }
}

// Before the transaction: this takes time.
std::vector<wallet::ChainScripts> scripts_of(const WalletContents& contents) {
  const auto& [config, state] = contents;
  std::vector<wallet::ChainScripts> all;
  for (std::size_t n = 0; n < config.key_chains.size(); ++n) {
    wallet::ChainScripts scripts{.chain = n, .first = 0, .scripts = {}};
    if (n < state.scripts.size()) scripts.scripts = state.scripts[n];
    const auto given = static_cast<std::uint32_t>(scripts.scripts.size());
    scripts.scripts.append(
        derive_scripts(config.key_chains[n].descriptor, n, given, state.key_chains[n].watched).scripts);
    all.push_back(std::move(scripts));
  }
  return all;
}

std::vector<Command> commands_of(std::int64_t id, const NewStoredWallet& wallet,
                                 const std::vector<wallet::ChainScripts>& scripts) {
  const auto& [config, state] = wallet.contents;
  std::vector<Command> commands;
  commands.reserve(config.key_chains.size());
  for (std::size_t n = 0; n < config.key_chains.size(); ++n) {
    commands.push_back(insert_key_chain(id, n, config.key_chains[n], state.key_chains[n]));
  }
  if (wallet.secret) {
    const auto format = static_cast<std::int16_t>(wallet.secret->format);
    commands.push_back({sql::kInsertSecret, Params().bigint(id).smallint(format).secret(wallet.secret->data)});
  }
  for (auto& command : label_commands(id, changes_to(wallet.labels))) commands.push_back(std::move(command));
  WriteBatch batch;
  batch.add_transactions(id, state.transactions);
  for (const auto& each : scripts) batch.add_scripts(id, each);
  batch.set_scan(id, state.scan);
  batch.set_told(id, state.told);
  for (auto& command : batch.commands(0)) commands.push_back(std::move(command));
  return commands;
}

}  // namespace

void throw_exists(const std::string& name) {
  throw StoreError(StoreError::Kind::Exists, "wallet '" + name + "' already exists; choose another name");
}

void insert_wallet(Connection& connection, const std::string& name, const NewStoredWallet& wallet,
                   const std::function<void()>& before_naming) {
  const auto& [config, state] = wallet.contents;
  util::ensure(config.key_chains.size() == state.key_chains.size(), "one state for each key chain");
  util::ensure(wallet.secret.has_value() == (wallet.info.kind == WalletKind::Mnemonic),
               "a watch-only wallet has no secret");
  const auto scripts = scripts_of(wallet.contents);
  Transaction transaction(connection);
  const std::int64_t id = insert_wallet_row(connection, name, wallet);
  connection.run_all(commands_of(id, wallet, scripts));
  if (before_naming) before_naming();
  std::vector<Command> last{notice(kWalletChannel, name)};
  EventRows events;
  events.add(id, WalletEvent{.state = WalletState::Added});
  events.put(last, wall_time());
  transaction.commit(std::move(last));
}

}  // namespace spv::store::postgres
