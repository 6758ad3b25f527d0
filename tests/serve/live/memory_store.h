// MemoryStore: a log of events in memory that fails when a test says so, and counts how often it is asked.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/store.h"
#include "store/store_error.h"
#include "util/ensure.h"

namespace spv::test {

class MemoryStore final : public store::Store {
 public:
  store::Seq append(std::string wallet, store::EventData data, util::UnixTime time = 1'700'000'000) {
    const std::lock_guard lock(mutex_);
    events_.push_back({.seq = ++newest_, .wallet = std::move(wallet), .time = time, .data = std::move(data)});
    came_.notify_all();
    return newest_;
  }
  store::Seq append_tip() { return append("", store::TipEvent{}); }
  store::Seq append_tx(std::string wallet = "mine") { return append(std::move(wallet), wallet::TxEvent{}); }
  void append_txs(int count) {
    for (int i = 0; i < count; ++i) append_tx();
  }
  void prune_up_to(store::Seq last) {
    const std::lock_guard lock(mutex_);
    std::erase_if(events_, [&](const auto& each) { return each.seq <= last; });
  }

  std::vector<store::LoggedEvent> events(store::Seq after, std::size_t limit,
                                         const std::optional<std::string>& wallet) override {
    ask();
    const std::lock_guard lock(mutex_);
    return find(after, limit, wallet);
  }
  std::vector<store::LoggedEvent> wait_events(store::Seq after, std::size_t limit,
                                              const std::optional<std::string>& wallet,
                                              std::chrono::milliseconds timeout, const std::stop_token& stop) override {
    ask();
    std::unique_lock lock(mutex_);
    came_.wait_for(lock, stop, timeout, [&] { return away || !find(after, 1, wallet).empty(); });
    lock.unlock();
    ask();
    lock.lock();
    return find(after, limit, wallet);
  }
  store::Seq newest_event() override {
    ask();
    const std::lock_guard lock(mutex_);
    return newest_;
  }
  std::optional<store::Seq> oldest_event() override {
    ask();
    const std::lock_guard lock(mutex_);
    return events_.empty() ? std::nullopt : std::optional(events_.front().seq);
  }
  void prune_events(util::UnixTime before) override {
    ask();
    const std::lock_guard lock(mutex_);
    ++prunings;
    std::erase_if(events_, [&](const auto& each) { return each.time < before; });
  }
  store::Seq position(const std::string& consumer) override {
    ask();
    const std::lock_guard lock(mutex_);
    return positions_[consumer];
  }
  void acknowledge(const std::string& consumer, store::Seq seq) override {
    ask();
    const std::lock_guard lock(mutex_);
    positions_[consumer] = std::max(positions_[consumer], seq);
  }
  std::vector<std::string> consumers() {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> out;
    for (const auto& [name, seq] : positions_) out.push_back(name);
    return out;
  }
  void set_away(bool is_away) {
    away = is_away;
    const std::lock_guard lock(mutex_);
    came_.notify_all();
  }

  std::vector<std::string> names() override { no_wallets(); }
  bool contains(const std::string& /*name*/) override { no_wallets(); }
  void create(const std::string& /*name*/, const store::NewStoredWallet& /*wallet*/,
              const std::function<void()>& /*before_naming*/) override {
    no_wallets();
  }
  std::unique_ptr<store::StoredWallet> open(const std::string& /*name*/, store::Access /*access*/) override {
    no_wallets();
  }
  void rename(const std::string& from, const std::string& to) override {
    const std::lock_guard lock(mutex_);
    for (auto& each : events_) {
      if (each.wallet == from) each.wallet = to;
    }
    ++renames_;
  }
  std::uint64_t renames() override {
    const std::lock_guard lock(mutex_);
    return renames_;
  }
  void remove(const std::string& /*name*/) override { no_wallets(); }
  void tell_tip(const store::ChainView& /*view*/, util::UnixTime /*now*/) override {}
  void commit(std::span<store::WalletChanges> /*batch*/, util::UnixTime /*now*/) override { no_wallets(); }
  bool commits_together() const override { return true; }
  void share_wallets() override { no_wallets(); }
  store::LeasedWallets wait_leased(std::chrono::milliseconds /*timeout*/) override { no_wallets(); }

  std::atomic<bool> away{false};
  std::atomic<int> asked{0};
  std::atomic<int> prunings{0};

 private:
  [[noreturn]] static void no_wallets() { throw std::logic_error("a log only"); }
  void ask() {
    ++asked;
    if (away) throw store::StoreError(store::StoreError::Kind::Unreachable, "the database is away");
  }
  [[nodiscard]] std::vector<store::LoggedEvent> find(store::Seq after, std::size_t limit,
                                                     const std::optional<std::string>& wallet) const {
    std::vector<store::LoggedEvent> out;
    auto each = std::ranges::upper_bound(events_, after, {}, &store::LoggedEvent::seq);
    for (; each != events_.end() && out.size() < limit; ++each) {
      if (!wallet || each->wallet == *wallet) out.push_back(*each);
    }
    return out;
  }

  std::mutex mutex_;
  std::condition_variable_any came_;
  std::vector<store::LoggedEvent> events_;
  std::uint64_t renames_ = 0;
  std::map<std::string, store::Seq> positions_;
  store::Seq newest_ = 0;
};

}  // namespace spv::test
