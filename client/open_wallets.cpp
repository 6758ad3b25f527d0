#include "client/open_wallets.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "client/shard.h"
#include "client/tip_keeper.h"
#include "client/values.h"

namespace spv::client {
namespace {

/// A commit waits for the disk: mere scan positions take no more of a second than this share, however many wallets.
constexpr util::Duration kPerWallet = std::chrono::milliseconds(10);
/// Where all of them are one commit: how often.
constexpr util::Duration kTogether = std::chrono::seconds(1);
/// So many wallets keep what their stores hold open.
constexpr std::size_t kAwake = 64;
/// Nor does a flush of them keep anybody waiting for longer, a pause least of all: the rest have their turn next time.
constexpr util::Duration kFlushTime = std::chrono::milliseconds(200);

/// To lose it costs a second look, no more.
bool is_position_only(const wallet::Changes& changes) {
  return changes.transactions.empty() && changes.key_chains.empty() && !changes.birthday && !changes.tells();
}

/// Its shard has come to the tip, and it was in it.
bool is_synced(const Held& held) {
  const Shard* shard = held.shard;
  return shard != nullptr && shard->finished && !shard->joining && !held.lost && held.open.wallet.is_caught_up();
}

}  // namespace

Held* OpenWallets::find(const std::string& name) {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

store::HeaderBase OpenWallets::oldest_base() const {
  // An older wallet may come at any time, and the others must not wait for its headers then.
  if (setup_.options.follow_all) return store::HeaderBase::genesis(setup_.params);
  std::optional<store::HeaderBase> oldest;
  for (const auto& [id, held] : wallets_) {
    auto base = header_base(setup_.params, held->open.wallet.config());
    if (!oldest || base.height < oldest->height) oldest = base;
  }
  return oldest.value_or(store::HeaderBase::genesis(setup_.params));
}

Held& OpenWallets::open(const std::string& name, OpenWallet wallet) {
  std::erase(shut_, name);
  const MemberId id = next_id_++;
  Held& held = *wallets_.emplace(id, std::make_unique<Held>(Held{id, name, std::move(wallet), {}})).first->second;
  by_name_[name] = &held;
  show(held);
  if (!held.open.wallet.synced()) unsynced_.insert(id);
  keep_awake(held);
  return held;
}

void OpenWallets::close(Held& held) {
  const MemberId id = held.id;
  deferred_.erase(id);
  unsynced_.erase(id);
  std::erase(awake_, id);
  by_name_.erase(held.name);
  setup_.board->remove(held.name);
  wallets_.erase(id);
}

void OpenWallets::close_all() {
  const auto together = setup_.store->close_together();
  by_name_.clear();
  awake_.clear();
  deferred_.clear();
  unsynced_.clear();
  setup_.board->clear();
  wallets_.clear();
}

void OpenWallets::keep_awake(Held& held) {
  std::erase(awake_, held.id);
  awake_.push_back(held.id);
  if (awake_.size() <= kAwake) return;
  at(awake_.front()).open.stored->rest();
  awake_.erase(awake_.begin());
}

void OpenWallets::forget(Held& held) {
  held.deferred = {};
  deferred_.erase(held.id);
}

void OpenWallets::add(Held& held, wallet::Changes changes) {
  if (held.lost) return;
  held.deferred.merge(std::move(changes));
  held.deferred.merge(held.open.wallet.tell());
  deferred_.insert(held.id);
  if (!held.open.wallet.synced()) unsynced_.insert(held.id);
  if (is_position_only(held.deferred)) show_position(held);
}

void OpenWallets::show(const Held& held) {
  setup_.board->put(held.name, summary_of(held.open.wallet, held.open.stored->info().kind == store::WalletKind::Watch));
}

// A coin that matures changes a balance without a transaction.
void OpenWallets::show_position(const Held& held) {
  const auto shown = setup_.board->find(held.name);
  if (!shown || shown->balance.immature != 0) return show(held);
  setup_.board->move(held.name, held.open.wallet);
}

void OpenWallets::note(const std::vector<MemberChanges>& changes) {
  for (const auto& each : changes) {
    if (each.wallet != kTipKeeper) add(at(each.wallet), each.changes);
  }
}

void OpenWallets::persist(const std::vector<MemberChanges>& changes) {
  note(changes);
  commit_what_matters();
  if (setup_.clock().monotonic >= flush_at_) commit_positions();
}

void OpenWallets::keep(Held& held, wallet::Changes changes) {
  using Kind = store::StoreError::Kind;
  add(held, std::move(changes));
  try {
    commit({&held});
  } catch (const store::StoreError& error) {
    if (error.kind() != Kind::Unreachable) throw;
    throw store::StoreError(Kind::Unreachable, std::string(error.what()) +
                                                   "; it is not known whether this was stored, so check the history "
                                                   "before you try again");
  }
  // What a scan finds another process finds too; what a user does must not seem done.
  if (held.lost)
    throw store::StoreError(Kind::Fenced, "the wallet '" + held.name + "' is now in use by another process");
}

void OpenWallets::commit_pending(Held& held) {
  if (deferred_.contains(held.id)) commit({&held});
}

void OpenWallets::commit(const std::vector<Held*>& due) {
  using Kind = store::StoreError::Kind;
  // To commit again what may be committed would tell its events twice: reload() finds out.
  if (outcome_unknown_) throw store::StoreError(Kind::Unreachable, "cannot reach the database");
  try {
    commit_once(due);
    store_away_ = false;
  } catch (const store::StoreError& error) {
    outcome_unknown_ = error.kind() == Kind::Unreachable;
    stale_ = stale_ || outcome_unknown_;
    store_away_ = outcome_unknown_ || error.kind() == Kind::Fenced || error.kind() == Kind::Retry;
    if (error.kind() != Kind::Fenced || !setup_.options.follow_all) throw;
    auto rest = due;
    if (std::erase_if(rest, [](const Held* held) { return held->lost; }) == 0) throw;
    commit(rest);
  }
}

void OpenWallets::commit_once(const std::vector<Held*>& due) {
  if (due.empty()) return;
  std::vector<store::WalletChanges> batch;
  batch.reserve(due.size());
  for (Held* held : due) batch.push_back({.wallet = held->open.stored.get(), .changes = &held->deferred});
  try {
    const util::Now began = setup_.clock();
    setup_.store->commit(batch, began.wall);
    if (setup_.on_commit) setup_.on_commit(setup_.clock().monotonic - began.monotonic);
  } catch (...) {
    settle(due, batch);
    if (!std::ranges::all_of(batch, &store::WalletChanges::done)) throw;
    // All is durable, and only the log is behind: it catches up with the next commit of these.
    for (const Held* held : due) deferred_.insert(held->id);
    return;
  }
  settle(due, batch);
}

void OpenWallets::settle(const std::vector<Held*>& due, const std::vector<store::WalletChanges>& batch) {
  for (std::size_t i = 0; i < due.size(); ++i) {
    Held& held = *due[i];
    keep_awake(held);
    held.lost = held.lost || batch[i].lost;
    if (held.lost) forget(held);
    if (!batch[i].done) continue;
    deferred_.erase(held.id);
    const auto committed = std::exchange(held.deferred, {});
    if (!is_position_only(committed)) show(held);
    for (const auto& event : committed.events) events_.push(to_event(held.name, event, setup_.params));
  }
}

void OpenWallets::commit_what_matters() {
  std::vector<Held*> due;
  for (const auto id : deferred_) {
    if (!is_position_only(at(id).deferred)) due.push_back(&at(id));
  }
  commit(due);
}

void OpenWallets::flush() {
  commit_what_matters();
  commit_positions();
}

void OpenWallets::commit_positions() {
  if (setup_.store->commits_together()) return commit_all_positions();
  commit_positions_in_turn();
}

void OpenWallets::commit_all_positions() {
  std::vector<Held*> due;
  due.reserve(deferred_.size());
  for (const auto id : deferred_) due.push_back(&at(id));
  commit(due);
  flush_at_ = setup_.clock().monotonic + kTogether;
}

void OpenWallets::commit_positions_in_turn() {
  const util::TimePoint begin = setup_.clock().monotonic;
  util::TimePoint now = begin;
  int committed = 0;
  for (; !deferred_.empty() && now < begin + kFlushTime; now = setup_.clock().monotonic) {
    // In turn, from where the last flush ended: the first ones would leave no time to the others.
    const auto next = deferred_.upper_bound(last_flushed_);
    last_flushed_ = next == deferred_.end() ? *deferred_.begin() : *next;
    commit({&at(last_flushed_)});
    ++committed;
  }
  flush_at_ = now + kPerWallet * std::max(committed, 1);
}

void OpenWallets::tell_synced() {
  const util::TimePoint begin = setup_.clock().monotonic;
  std::vector<Held*> due;
  for (auto next = unsynced_.begin(); next != unsynced_.end();) {
    Held& held = at(*next++);
    if (!is_synced(held)) continue;
    add(held, held.open.wallet.note_synced());
    unsynced_.erase(held.id);
    due.push_back(&held);
    if (setup_.store->commits_together()) continue;
    commit(std::exchange(due, {}));
    if (setup_.clock().monotonic >= begin + kFlushTime) return;
  }
  commit(due);
}

bool OpenWallets::tell_tip(const store::ChainView& chain) {
  using Kind = store::StoreError::Kind;
  if (outcome_unknown_) return false;
  try {
    setup_.store->tell_tip(chain, setup_.clock().wall);
    return true;
  } catch (const store::StoreError& error) {
    if (error.kind() != Kind::Unreachable) return false;
    // Until reload(): a commit that succeeds meanwhile, as the store is back, must not pass for the end of the trouble.
    store_away_ = outcome_unknown_ = stale_ = true;
    throw;
  }
}

void OpenWallets::flush_if_due() {
  if (!deferred_.empty() && setup_.clock().monotonic >= flush_at_) flush();
}

void OpenWallets::reload() {
  store_away_ = false;
  outcome_unknown_ = false;
  if (std::exchange(stale_, false)) {
    for (const auto& [id, held] : wallets_) shut_.push_back(held->name);
    close_all();
  }
  if (!shut_.empty() && !read_together()) read_one_by_one();
}

bool OpenWallets::read_together() {
  const auto names = shut_;
  try {
    auto opened = open_wallets(setup_.store, names, store::Access::Write);
    for (std::size_t i = 0; i < names.size(); ++i) open(names[i], std::move(opened[i]));
    return true;
  } catch (const store::StoreError& error) {
    store_away_ = error.kind() == store::StoreError::Kind::Unreachable;
    if (store_away_) throw;
    return false;
  }
}

void OpenWallets::read_one_by_one() {
  std::exception_ptr trouble;
  for (const auto& name : std::vector(shut_)) {
    try {
      open(name, open_wallet(setup_.store, name, store::Access::Write));
    } catch (...) {
      trouble = std::current_exception();
    }
  }
  if (trouble) std::rethrow_exception(trouble);
}

}  // namespace spv::client
