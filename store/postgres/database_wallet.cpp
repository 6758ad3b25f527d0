#include "store/postgres/database_wallet.h"

#include <bit>
#include <utility>

#include "store/checks.h"
#include "store/labels.h"
#include "store/postgres/label_table.h"
#include "store/postgres/stored_scripts.h"
#include "store/postgres/transaction.h"
#include "store/postgres/wallet_sql.h"
#include "store/postgres/write_batch.h"
#include "util/ensure.h"

namespace spv::store::postgres {

const HeldShard& DatabaseWallet::shard() const {
  util::ensure(writer_ != nullptr, "the wallet is not open for writing");
  return writer_->shard();
}

void DatabaseWallet::require_shared() const {
  util::ensure(access_ != Access::Read, "the wallet is open for reading only");
}

void DatabaseWallet::note_contents(const WalletContents& contents) {
  chains_.clear();
  for (std::size_t n = 0; n < contents.config.key_chains.size(); ++n) {
    const auto stored = n < contents.state.scripts.size() ? contents.state.scripts[n].size() : 0;
    chains_.push_back(
        {.descriptor = contents.config.key_chains[n].descriptor, .stored = static_cast<std::uint32_t>(stored)});
  }
}

const std::vector<DatabaseWallet::Chain>& DatabaseWallet::chains() {
  if (chains_.empty()) static_cast<void>(load());
  return chains_;
}

WalletContents DatabaseWallet::load() {
  WalletContents contents = backend_->queries.read(
      [&](Connection& connection) { return std::move(read_contents(connection, {id()}, network()).begin()->second); });
  note_contents(contents);
  return contents;
}

void DatabaseWallet::reconfigure(const WalletContents& contents) {
  const auto& [config, state] = contents;
  util::ensure(config.key_chains.size() == state.key_chains.size(), "one state for each key chain");
  util::ensure(config.key_chains.size() >= chains().size(), "no key chain is taken away");
  std::vector<Command> commands{{sql::kReconfigure, Params()
                                                        .bigint(id())
                                                        .integer(static_cast<std::int32_t>(config.gap_limit))
                                                        .integer(config.birthday)
                                                        .bigint(config.birthday_time)
                                                        .bigint(config.filter.tweak)
                                                        .bigint(std::bit_cast<std::int64_t>(config.filter.decoy_seed))
                                                        .boolean(state.synced)}};
  WriteBatch batch;
  NewScripts scripts;
  batch.set_scan(id(), state.scan);
  for (std::size_t n = 0; n < config.key_chains.size(); ++n) {
    const bool is_new = n >= chains_.size();
    if (is_new) commands.push_back(insert_key_chain(id(), n, config.key_chains[n], state.key_chains[n]));
    if (!is_new) batch.set_key_chain(id(), n, state.key_chains[n]);
    scripts.fill(id(), config.key_chains[n].descriptor, n, is_new ? 0 : chains_[n].stored, state.key_chains[n].watched);
  }
  backend_->commits.use([&](Connection& connection) {
    scripts.add_to(batch, connection);
    for (auto& command : batch.commands(0)) commands.push_back(std::move(command));
    run_fenced(*backend_, connection, {shard()}, std::move(commands));
  });
  chains_.clear();
  for (std::size_t n = 0; n < config.key_chains.size(); ++n) {
    chains_.push_back({.descriptor = config.key_chains[n].descriptor, .stored = state.key_chains[n].watched});
  }
}

bool DatabaseWallet::replace_secret(const StoredSecret& secret) {
  util::ensure(header_.info.kind == WalletKind::Mnemonic, "a watch-only wallet has no secret");
  const Params params = Params().bigint(id()).smallint(static_cast<std::int16_t>(secret.format)).secret(secret.data);
  backend_->queries.use([&](Connection& connection) {
    run_fenced(*backend_, connection, {shard()}, {{sql::kReplaceSecret, params}});
  });
  header_.info.encrypted = secret.format == StoredSecret::Format::Encrypted;
  return true;
}

bool DatabaseWallet::issue(std::size_t chain, std::uint32_t index) {
  require_shared();
  const auto number = static_cast<std::int16_t>(chain);
  return backend_->queries.use([&](Connection& connection) {
    Transaction transaction(connection);
    const Result row = connection.run(sql::kLockKeyChain, Params().bigint(id()).text(header_.name).smallint(number));
    if (row.empty()) throw_moved("the wallet " + header_.name);
    wallet::WalletConfig config;
    config.network = network();
    config.gap_limit = checked_gap_limit(row.integer(0, 7));
    wallet::KeyChainState state;
    const auto key_chain = read_key_chain(row, 0, config, state);
    const bool used = key_chain.descriptor.is_ranged() && state.last_used && *state.last_used >= index;
    if (state.next_unissued > index || used) return false;
    // The gap limit keeps it there; see KeyRing::issue.
    require_sound(index < state.watched, "watched scripts");
    transaction.commit({{sql::kIssue, Params().bigint(id()).smallint(number).bigint(std::int64_t{index} + 1)}});
    return true;
  });
}

std::vector<std::uint32_t> DatabaseWallet::issued() {
  return backend_->queries.read([&](Connection& connection) {
    const Result rows = connection.run(sql::kIssued, Params().bigint(id()));
    std::vector<std::uint32_t> out;
    out.reserve(rows.rows());
    for (std::size_t row = 0; row < rows.rows(); ++row) out.push_back(checked_u32(rows.bigint(row, 0), "next index"));
    return out;
  });
}

std::vector<wallet::Label> DatabaseWallet::labels() {
  return backend_->queries.read([&](Connection& connection) { return read_labels(connection, id()); });
}

std::vector<chain::OutPoint> DatabaseWallet::frozen() { return frozen_outputs(labels()); }

void DatabaseWallet::change_labels(const std::vector<wallet::LabelChange>& changes) {
  require_shared();
  backend_->queries.use([&](Connection& connection) {
    Transaction transaction(connection);
    const Result name = connection.run(sql::kLockName, Params().bigint(id()).text(header_.name));
    if (name.empty()) throw_moved("the wallet " + header_.name);
    transaction.commit(label_commands(id(), changes));
  });
}

std::optional<StoredSecret> DatabaseWallet::secret() {
  return backend_->queries.read([&](Connection& connection) {
    Result row = connection.run(sql::kSecret, Params().bigint(id()));
    return take_secret(row);
  });
}

WalletCopy DatabaseWallet::copy() {
  return backend_->queries.read([&](Connection& connection) { return read_copy(connection, id(), network()); });
}

}  // namespace spv::store::postgres
