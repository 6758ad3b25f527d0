#include "client/open_wallets.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "client/values.h"

namespace spv::client {
namespace {

/// A commit waits for the disk: mere scan positions take no more of a second than this share, however many wallets.
constexpr util::Duration kPerWallet = std::chrono::milliseconds(10);
/// Nor does a flush of them keep anybody waiting for longer, a pause least of all: the rest have their turn next time.
constexpr util::Duration kFlushTime = std::chrono::milliseconds(200);

/// To lose it costs a second look, no more.
bool is_position_only(const wallet::Changes& changes) {
  return changes.transactions.empty() && changes.key_chains.empty() && !changes.birthday && changes.events.empty();
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
  setup_.journal->take_over(name, wallet);
  std::erase(shut_, name);
  const MemberId id = next_id_++;
  return *wallets_.emplace(id, std::make_unique<Held>(Held{id, name, std::move(wallet), {}})).first->second;
}

void OpenWallets::close(Held& held) {
  const MemberId id = held.id;
  std::erase_if(committed_, [&](const Committed& each) { return each.held == &held; });
  deferred_.erase(id);
  wallets_.erase(id);
}

void OpenWallets::add(Held& held, wallet::Changes changes) {
  held.deferred.merge(std::move(changes));
  held.deferred.merge(held.open.wallet.tell());
  deferred_.insert(held.id);
}

void OpenWallets::note(const std::vector<MemberChanges>& changes) {
  for (const auto& each : changes) add(at(each.wallet), each.changes);
}

void OpenWallets::persist(const std::vector<MemberChanges>& changes) {
  note(changes);
  commit_what_matters();
  if (setup_.clock().monotonic >= flush_at_) commit_positions();
  hand_over();
}

void OpenWallets::keep(Held& held, wallet::Changes changes) {
  add(held, std::move(changes));
  commit(held);
  hand_over();
}

void OpenWallets::commit_pending(Held& held) {
  if (deferred_.contains(held.id)) commit(held);
  hand_over();
}

void OpenWallets::commit(Held& held) {
  held.open.file.commit(held.deferred, setup_.clock().wall);
  if (!held.deferred.events.empty()) committed_.push_back({&held, std::move(held.deferred.events)});
  held.deferred = {};
  deferred_.erase(held.id);
}

void OpenWallets::hand_over() {
  if (committed_.empty()) return;
  std::vector<Journal::Source> sources;
  sources.reserve(committed_.size());
  for (const auto& each : committed_) sources.push_back({each.held->name, each.held->open});
  setup_.journal->take_over(sources);
  for (const auto& [held, events] : std::exchange(committed_, {})) {
    for (const auto& event : events) events_.push(to_event(held->name, event, setup_.params));
  }
}

void OpenWallets::commit_what_matters() {
  for (const auto id : std::vector(deferred_.begin(), deferred_.end())) {
    Held& held = at(id);
    if (!is_position_only(held.deferred)) commit(held);
  }
}

void OpenWallets::flush() {
  commit_what_matters();
  commit_positions();
  hand_over();
}

void OpenWallets::commit_positions() {
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
    committed_.clear();  // the log takes it over from the files
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
