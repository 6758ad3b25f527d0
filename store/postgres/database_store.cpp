#include "store/postgres/database_store.h"

#include <algorithm>
#include <utility>

#include "store/postgres/chain_table.h"
#include "store/postgres/commit.h"
#include "store/postgres/errand_table.h"
#include "store/postgres/event_rows.h"
#include "store/postgres/event_table.h"
#include "store/postgres/new_wallet.h"
#include "store/postgres/schema.h"
#include "store/postgres/wallet_sql.h"
#include "store/postgres/worker_table.h"
#include "store/wall_time.h"

namespace spv::store::postgres {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// Wallets that are loaded at once.
constexpr std::size_t kOpenedAtOnce = 500;
/// A notice may be lost: who waits looks this often anyway.
constexpr auto kLookAgain = 2s;
constexpr auto kLookAtAll = 60s;
constexpr std::chrono::milliseconds kLongestWait = 24h;

[[noreturn]] void throw_missing(const std::string& name) {
  throw StoreError(StoreError::Kind::Missing, "wallet " + name + " not found in the database; see spv list");
}

Clock::time_point end_of(std::chrono::milliseconds timeout) { return Clock::now() + std::min(timeout, kLongestWait); }

}  // namespace

DatabaseStore::DatabaseStore(const DatabaseUrl& url, chain::Network network, const DatabaseOptions& options) {
  migrate(url, network);
  backend_ = std::make_shared<Backend>(url, network, options);
}

std::vector<std::string> DatabaseStore::names() {
  return backend_->queries.read([](Connection& connection) {
    const Result rows = connection.run(sql::kNames);
    std::vector<std::string> out;
    out.reserve(rows.rows());
    for (std::size_t row = 0; row < rows.rows(); ++row) out.emplace_back(rows.text(row, 0));
    return out;
  });
}

bool DatabaseStore::contains(const std::string& name) {
  return backend_->queries.read(
      [&](Connection& connection) { return connection.run(sql::kContains, Params().text(name)).boolean(0, 0); });
}

void DatabaseStore::create(const std::string& name, const NewStoredWallet& wallet,
                           const std::function<void()>& before_naming) {
  const auto given = wallet.contents.config.network;
  if (given != backend_->network) {
    throw StoreError(StoreError::Kind::WrongNetwork,
                     "this is a database of the network " + std::string(chain::params(backend_->network).name) +
                         ", the wallet is of " + std::string(chain::params(given).name));
  }
  const auto insert = [&](Connection& connection) { insert_wallet(connection, name, wallet, before_naming); };
  if (!before_naming) return backend_->queries.use(insert);
  // It may take its time, and use the store.
  Connection own(backend_->url, backend_->connect);
  insert(own);
}

std::vector<std::unique_ptr<DatabaseWallet>> DatabaseStore::open_handles(const std::vector<std::string>& names,
                                                                         Access access) {
  // First the leases: from then on nobody else renames them or changes what is read.
  std::vector<LeaseKeeper::Hold> holds;
  if (access == Access::Write) holds = backend_->leases.hold(names);
  const auto headers = backend_->queries.read([&](Connection& connection) { return read_headers(connection, names); });
  std::vector<std::unique_ptr<DatabaseWallet>> out;
  out.reserve(names.size());
  for (std::size_t n = 0; n < names.size(); ++n) {
    const auto header = headers.find(names[n]);
    if (header == headers.end()) throw_missing(names[n]);
    std::unique_ptr<WriterHold> writer;
    if (access == Access::Write) {
      writer = std::make_unique<WriterHold>(backend_, std::move(holds[n]), header->second.id, names[n]);
    }
    out.push_back(std::make_unique<DatabaseWallet>(backend_, header->second, access, std::move(writer)));
  }
  return out;
}

std::unique_ptr<StoredWallet> DatabaseStore::open(const std::string& name, Access access) {
  return std::move(open_handles({name}, access).front());
}

void DatabaseStore::open_chunk(const std::vector<std::string>& names, Access access, std::vector<Opened>& out) {
  auto handles = open_handles(names, access);
  std::vector<std::int64_t> ids;
  ids.reserve(handles.size());
  for (const auto& handle : handles) ids.push_back(handle->id());
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  auto contents =
      backend_->queries.read([&](Connection& connection) { return read_contents(connection, ids, backend_->network); });
  for (auto& handle : handles) {
    auto node = contents.extract(handle->id());
    WalletContents its = node ? std::move(node.mapped()) : handle->load();
    handle->note_contents(its);
    out.push_back({.wallet = std::move(handle), .contents = std::move(its)});
  }
}

std::vector<Store::Opened> DatabaseStore::open_all(const std::vector<std::string>& names, Access access) {
  std::vector<Opened> out;
  out.reserve(names.size());
  for (std::size_t from = 0; from < names.size(); from += kOpenedAtOnce) {
    const auto first = names.begin() + static_cast<std::ptrdiff_t>(from);
    const auto length = static_cast<std::ptrdiff_t>(std::min(kOpenedAtOnce, names.size() - from));
    open_chunk({first, first + length}, access, out);
  }
  return out;
}

std::shared_ptr<void> DatabaseStore::close_together() {
  // What it points to is of the backend, which must live as long.
  auto together = backend_->leases.give_up_together();
  return {together.get(), [backend = backend_, together](void*) mutable { together.reset(); }};
}

DatabaseStore::Alone DatabaseStore::hold_alone(const std::string& name) {
  auto holds = backend_->leases.hold({name});
  const auto headers = backend_->queries.read([&](Connection& connection) { return read_headers(connection, {name}); });
  if (headers.empty()) throw_missing(name);
  const WalletHeader& header = headers.begin()->second;
  return {.header = header, .hold = std::make_unique<WriterHold>(backend_, std::move(holds.front()), header.id, name)};
}

// The worker of the shard that the new name belongs to takes it in.
void DatabaseStore::rename(const std::string& from, const std::string& to) {
  const Alone wallet = hold_alone(from);
  if (from == to) throw_exists(to);
  const Params params = Params().bigint(wallet.header.id).text(to).smallint(shard_of(to));
  try {
    backend_->queries.use([&](Connection& connection) {
      run_fenced(*backend_, connection, {wallet.hold->shard()},
                 {{sql::kRename, params},
                  notice(kWalletChannel, from),
                  notice(kWalletChannel, to),
                  notice(kRenameChannel, to)});
    });
  } catch (const DatabaseError& error) {
    if (error.sqlstate() == kUniqueViolation) throw_exists(to);
    throw;
  }
}

void DatabaseStore::remove(const std::string& name) {
  const Alone wallet = hold_alone(name);
  const Params id = Params().bigint(wallet.header.id);
  std::vector<Command> commands{{sql::kKeepName, id}, {sql::kDelete, id}, notice(kWalletChannel, name)};
  EventRows events;
  events.add(wallet.header.id, WalletEvent{.state = WalletState::Removed});
  events.put(commands, wall_time());
  backend_->queries.use(
      [&](Connection& connection) { run_fenced(*backend_, connection, {wallet.hold->shard()}, commands); });
}

void DatabaseStore::commit(std::span<WalletChanges> batch, util::UnixTime now) { commit_batch(*backend_, batch, now); }

void DatabaseStore::tell_tip(const ChainView& view, util::UnixTime now) {
  backend_->commits.use([&](Connection& connection) { postgres::tell_tip(connection, view, now); });
}

std::vector<LoggedEvent> DatabaseStore::events(Seq after, std::size_t limit, const std::optional<std::string>& wallet) {
  return backend_->queries.read([&](Connection& connection) { return read_events(connection, after, limit, wallet); });
}

std::vector<LoggedEvent> DatabaseStore::wait_events(Seq after, std::size_t limit,
                                                    const std::optional<std::string>& wallet,
                                                    std::chrono::milliseconds timeout, const std::stop_token& stop) {
  const auto end = end_of(timeout);
  backend_->notices.start();
  for (;;) {
    const auto seen = backend_->notices.events().count();
    auto found = events(after, limit, wallet);
    const auto now = Clock::now();
    if (!found.empty() || now >= end || stop.stop_requested()) return found;
    backend_->notices.events().wait(seen, std::min<Clock::time_point>(end, now + kLookAgain), stop);
  }
}

Seq DatabaseStore::newest_event() {
  return backend_->queries.read([](Connection& connection) { return postgres::newest_event(connection); });
}

std::optional<Seq> DatabaseStore::oldest_event() {
  return backend_->queries.read([](Connection& connection) { return postgres::oldest_event(connection); });
}

void DatabaseStore::prune_events(util::UnixTime before) {
  backend_->queries.use([&](Connection& connection) { postgres::prune_events(connection, before); });
}

Seq DatabaseStore::position(const std::string& consumer) {
  return backend_->queries.read([&](Connection& connection) { return consumer_position(connection, consumer); });
}

// Twice is as good as once.
void DatabaseStore::acknowledge(const std::string& consumer, Seq seq) {
  backend_->queries.read([&](Connection& connection) { postgres::acknowledge(connection, consumer, seq); });
}

ErrandReply DatabaseStore::ask_holder(const std::string& wallet, std::string_view kind, std::string_view body,
                                      std::chrono::milliseconds timeout, const std::stop_token& stop) {
  const auto end = end_of(timeout);
  backend_->notices.start();
  const ErrandId id = backend_->queries.use([&](Connection& connection) {
    return post_errand(connection, wallet, kind, body, std::min(timeout, kLongestWait));
  });
  for (;;) {
    const auto seen = backend_->notices.answers().count();
    const auto now = Clock::now();
    const bool is_last = now >= end || stop.stop_requested();
    const auto look = [&](Connection& connection) { return read_reply(connection, id, is_last); };
    ErrandReply reply = backend_->queries.read(look);
    if (reply.answer || is_last) return reply;
    backend_->notices.answers().wait(seen, std::min<Clock::time_point>(end, now + kLookAgain), stop);
  }
}

std::vector<Errand> DatabaseStore::take_errands(std::chrono::milliseconds timeout) {
  const auto end = end_of(timeout);
  backend_->notices.start();
  for (;;) {
    const auto seen = backend_->notices.errands().count();
    auto taken = postgres::take_errands(*backend_);
    const auto now = Clock::now();
    if (!taken.empty() || now >= end) return taken;
    backend_->notices.errands().wait(seen, std::min<Clock::time_point>(end, now + kLookAgain));
  }
}

std::vector<std::string> DatabaseStore::owners_of(const std::vector<chain::OutPoint>& outpoints) {
  std::vector<std::optional<util::ByteView>> txids;
  std::vector<std::optional<std::int64_t>> vouts;
  for (const auto& each : outpoints) {
    txids.emplace_back(each.txid.bytes);
    vouts.emplace_back(each.index);
  }
  return backend_->queries.read([&](Connection& connection) {
    const Result rows = connection.run(sql::kOwners, Params().byteas(txids).bigints(vouts));
    std::vector<std::string> out;
    out.reserve(rows.rows());
    for (std::size_t row = 0; row < rows.rows(); ++row) out.emplace_back(rows.text(row, 0));
    return out;
  });
}

// Twice is as good as once.
void DatabaseStore::answer_errand(ErrandId id, std::string_view answer) {
  backend_->queries.read([&](Connection& connection) { postgres::answer_errand(connection, id, answer); });
}

bool DatabaseStore::leads() {
  const std::int64_t me = backend_->leases.worker();
  return me != 0 && backend_->queries.read([&](Connection& connection) { return is_leader(connection, me); });
}

std::vector<WorkerInfo> DatabaseStore::workers() {
  return backend_->queries.read([](Connection& connection) { return read_workers(connection); });
}

void DatabaseStore::share_wallets() {
  backend_->notices.start();
  backend_->leases.share();
}

LeasedWallets DatabaseStore::wait_leased(std::chrono::milliseconds timeout) {
  const auto end = end_of(timeout);
  for (;;) {
    const auto seen = backend_->notices.wallets().count();
    const auto errands = backend_->notices.errands().count();
    auto news = backend_->notices.take_wallet_news();
    const auto now = Clock::now();
    if (now >= looked_at_all_ + kLookAtAll) news.all = true;
    LeasedWallets found;
    try {
      found = backend_->queries.read(
          [&](Connection& connection) { return followed_.update(connection, backend_->leases.held(), news); });
    } catch (const StoreError&) {
      backend_->notices.doubt_wallet_news();
      throw;
    }
    if (news.all) looked_at_all_ = now;
    backend_->leases.report_wallets(followed_.count());
    const bool has_errands = std::exchange(errands_heard_, errands) != errands;
    if (!found.empty() || has_errands || now >= end) return found;
    backend_->notices.wallets().wait(seen, std::min<Clock::time_point>(end, now + kLookAtAll));
  }
}

}  // namespace spv::store::postgres
