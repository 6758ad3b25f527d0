#include "client/open_wallets.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace spv::client {
namespace {

/// A commit waits for the disk: mere scan positions take no more of a second than this share, however many wallets.
constexpr util::Duration kPerWallet = std::chrono::milliseconds(10);
/// Nor does a flush of them keep anybody waiting for longer, a pause least of all: the rest have their turn next time.
constexpr util::Duration kFlushTime = std::chrono::milliseconds(200);

std::optional<std::int32_t> height_of(const wallet::TxRecord& record) {
  if (!record.confirmation) return std::nullopt;
  return record.confirmation->block.height;
}

/// To lose it costs a second look, no more.
bool is_position_only(const wallet::Changes& changes) {
  return changes.transactions.empty() && changes.key_chains.empty() && !changes.birthday;
}

}  // namespace

Held* OpenWallets::find(const std::string& name) {
  const auto found = std::ranges::find_if(wallets_, [&](const auto& item) { return item.second->name == name; });
  return found == wallets_.end() ? nullptr : found->second.get();
}

store::HeaderBase OpenWallets::oldest_base() const {
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
  return *wallets_.emplace(id, std::make_unique<Held>(Held{id, name, std::move(wallet), {}, {}})).first->second;
}

void OpenWallets::close(Held& held) {
  const MemberId id = held.id;
  deferred_.erase(id);
  wallets_.erase(id);
}

void OpenWallets::note(const std::vector<MemberChanges>& changes) {
  for (const auto& each : changes) {
    Held& held = at(each.wallet);
    for (const auto& record : each.changes.transactions) {
      if (!held.open.wallet.is_own(record.tx)) continue;  // a stranger's, that conflicts with one of ours
      const auto net = held.open.wallet.net_of(record.tx);
      held.news.emplace_back(TransactionEvent{held.name, util::to_string(record.txid), net, height_of(record)});
    }
    held.deferred.merge(each.changes);
    deferred_.insert(held.id);
  }
}

void OpenWallets::persist(const std::vector<MemberChanges>& changes) {
  note(changes);
  commit_what_matters();
  if (setup_.clock().monotonic >= flush_at_) flush();
}

void OpenWallets::keep(Held& held, wallet::Changes changes) {
  held.deferred.merge(std::move(changes));
  deferred_.insert(held.id);
  commit(held);
}

void OpenWallets::commit_pending(Held& held) {
  if (deferred_.contains(held.id)) commit(held);
}

void OpenWallets::commit(Held& held) {
  held.open.file.commit(held.deferred);
  held.deferred = {};
  deferred_.erase(held.id);
  for (auto& event : std::exchange(held.news, {})) events_.push(std::move(event));
}

void OpenWallets::commit_what_matters() {
  for (const auto id : std::vector(deferred_.begin(), deferred_.end())) {
    Held& held = at(id);
    if (!is_position_only(held.deferred)) commit(held);
  }
}

void OpenWallets::flush() {
  commit_what_matters();
  const util::TimePoint begin = setup_.clock().monotonic;
  util::TimePoint now = begin;
  int committed = 0;
  for (; !deferred_.empty() && now < begin + kFlushTime; now = setup_.clock().monotonic) {
    // In turn, from where the last flush ended: the first ones would leave no time to the others.
    const auto next = deferred_.upper_bound(last_flushed_);
    last_flushed_ = next == deferred_.end() ? *deferred_.begin() : *next;
    commit(at(last_flushed_));
    ++committed;
  }
  flush_at_ = now + kPerWallet * std::max(committed, 1);
}

void OpenWallets::flush_if_due() {
  if (!deferred_.empty() && setup_.clock().monotonic >= flush_at_) flush();
}

void OpenWallets::reload() {
  if (std::exchange(stale_, false)) {
    for (const auto& [id, held] : wallets_) shut_.push_back(held->name);
    wallets_.clear();
    deferred_.clear();
  }
  std::exception_ptr trouble;
  for (const auto& name : std::vector(shut_)) {
    try {
      open(name, setup_.shelf.open(name));
    } catch (...) {
      trouble = std::current_exception();
    }
  }
  if (trouble) std::rethrow_exception(trouble);
}

}  // namespace spv::client
