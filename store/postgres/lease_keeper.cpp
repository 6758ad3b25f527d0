#include "store/postgres/lease_keeper.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <unistd.h>
#include <utility>

namespace spv::store::postgres {
namespace {

constexpr Statement kShardHolder{
    .name = "lease_holder",
    .sql = "SELECT worker.name FROM shard JOIN worker ON worker.id = shard.worker WHERE shard.id = $1"};

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace

LeaseKeeper::LeaseKeeper(DatabaseUrl url, DatabaseOptions options, std::function<void()> on_change)
    : url_(std::move(url)), options_(std::move(options)), on_change_(std::move(on_change)) {}

LeaseKeeper::~LeaseKeeper() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stop_.notify_all();
  if (thread_.joinable()) thread_.join();
  if (!leases_ || !connection_ || connection_->broken()) return;
  try {
    leases_->release(*connection_);
  } catch (const StoreError&) {  // NOLINT(bugprone-empty-catch): they end by themselves
  }
}

Connection& LeaseKeeper::ready() {
  if (!connection_ || connection_->broken()) connection_.emplace(url_, options_.connect);
  return *connection_;
}

Leases& LeaseKeeper::signed_on() {
  if (leases_) return *leases_;
  leases_.emplace(
      ready(),
      LeaseOptions{.name = options_.worker_name, .length = options_.lease, .shares = false, .host = host_name()});
  worker_ = leases_->worker();
  thread_ = std::thread([this] { run(); });
  return *leases_;
}

const HeldShard* LeaseKeeper::find(std::int16_t shard) const {
  const auto& held = leases_->held();
  const auto found = std::ranges::find(held, shard, &HeldShard::id);
  return found == held.end() ? nullptr : &*found;
}

void LeaseKeeper::throw_locked(const std::string& wallet_name) {
  const Result holder = ready().run(kShardHolder, Params().smallint(shard_of(wallet_name)));
  const std::string by = holder.empty() ? "another process" : "the worker '" + std::string(holder.text(0, 0)) + "'";
  throw StoreError(StoreError::Kind::Locked, "wallet '" + wallet_name + "', or another of its shard, is in use by " +
                                                 by + "; try again when it has stopped");
}

void LeaseKeeper::take_missing(const std::vector<std::string>& wallet_names) {
  std::set<std::int16_t> missing;
  for (const auto& name : wallet_names) {
    if (find(shard_of(name)) == nullptr) missing.insert(shard_of(name));
  }
  if (missing.empty()) return;
  const std::vector<std::int16_t> wanted(missing.begin(), missing.end());
  leases_->take(ready(), wanted);
  const auto refused =
      std::ranges::find_if(wallet_names, [&](const auto& name) { return find(shard_of(name)) == nullptr; });
  if (refused == wallet_names.end()) return;
  give_up_unused(wanted);
  throw_locked(*refused);
}

std::vector<LeaseKeeper::Hold> LeaseKeeper::hold(const std::vector<std::string>& wallet_names) {
  std::vector<Hold> holds;  // before the lock, which the end of a hold takes
  holds.reserve(wallet_names.size());
  const std::lock_guard lock(mutex_);
  signed_on();
  take_missing(wallet_names);
  for (const auto& name : wallet_names) {
    const HeldShard& shard = *find(shard_of(name));
    ++users_[shard.id];
    holds.emplace_back(*this, shard);
  }
  return holds;
}

void LeaseKeeper::give_up_unused(const std::vector<std::int16_t>& shards) {
  if (leases_->options().shares) return;
  std::vector<std::int16_t> unused;
  std::ranges::copy_if(shards, std::back_inserter(unused), [&](std::int16_t id) { return !users_.contains(id); });
  if (!unused.empty()) leases_->give_up(ready(), unused);
}

void LeaseKeeper::let_go(std::int16_t shard) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    if (--users_.at(shard) > 0) return;
    users_.erase(shard);
    if (together_ == 0 && connection_ && !connection_->broken()) give_up_unused({shard});
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): its lease ends, as nobody renews it
  }
}

std::shared_ptr<void> LeaseKeeper::give_up_together() {
  {
    const std::lock_guard lock(mutex_);
    ++together_;
  }
  return {this, [](LeaseKeeper* keeper) { keeper->end_together(); }};
}

void LeaseKeeper::end_together() noexcept {
  try {
    const std::lock_guard lock(mutex_);
    if (--together_ == 0 && leases_ && connection_ && !connection_->broken()) give_up_all_unused();
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the next renewal gives them up
  }
}

void LeaseKeeper::share() {
  {
    const std::lock_guard lock(mutex_);
    signed_on().share();
    leases_->renew(ready(), status());
  }
  on_change_();
}

std::vector<HeldShard> LeaseKeeper::held() {
  const std::lock_guard lock(mutex_);
  return leases_ ? leases_->held() : std::vector<HeldShard>{};
}

void LeaseKeeper::report_height(std::int32_t scanned) {
  auto before = height_.load();
  while (scanned > before && !height_.compare_exchange_weak(before, scanned)) {
  }
}

WorkerStatus LeaseKeeper::status() const {
  const std::int32_t height = height_;
  return {.wallets = wallets_, .height = height < 0 ? std::nullopt : std::optional(height)};
}

void LeaseKeeper::renew() {
  leases_->renew(ready(), status());
  // What could not be given up when the last hold ended.
  if (together_ == 0) give_up_all_unused();
}

void LeaseKeeper::give_up_all_unused() {
  std::vector<std::int16_t> held;
  for (const HeldShard& shard : leases_->held()) held.push_back(shard.id);
  give_up_unused(held);
}

// While the server is away, the next round tries again, and the fence guards until then.
void LeaseKeeper::renew_and_tell(std::unique_lock<std::mutex>& lock) {
  const std::vector<HeldShard> before = leases_->held();
  try {
    renew();
  } catch (const StoreError&) {
    return;
  }
  if (leases_->held() == before) return;
  lock.unlock();
  on_change_();
  lock.lock();
}

void LeaseKeeper::refresh() noexcept {
  std::unique_lock lock(mutex_);
  if (leases_) renew_and_tell(lock);
}

void LeaseKeeper::run() {
  std::unique_lock lock(mutex_);
  while (!stop_.wait_for(lock, options_.lease / 3, [&] { return stopping_; })) renew_and_tell(lock);
}

}  // namespace spv::store::postgres
