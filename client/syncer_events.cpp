// What Syncer does with what the engines say: commits, and events for the user.
#include <algorithm>
#include <utility>

#include "client/syncer.h"
#include "util/overloaded.h"

namespace spv::client {
namespace {

/// A commit waits for the disk: mere scan positions take no more of a second than this share, however many wallets.
constexpr util::Duration kPerWallet = std::chrono::milliseconds(10);
/// Nor does a flush of them keep anybody waiting for longer, a pause least of all: the rest have their turn next time.
constexpr util::Duration kFlushTime = std::chrono::milliseconds(200);
/// What is learned of peers is not precious: now and then is enough.
constexpr util::Duration kBookInterval = std::chrono::minutes(5);

std::optional<std::int32_t> height_of(const wallet::TxRecord& record) {
  if (!record.confirmation) return std::nullopt;
  return record.confirmation->block.height;
}

/// To lose it costs a second look, no more.
bool is_position_only(const wallet::Changes& changes) {
  return changes.transactions.empty() && changes.key_chains.empty() && !changes.birthday;
}

/// Marks the thread that calls back, as long as it does.
class InCallback {
 public:
  explicit InCallback(std::atomic<std::thread::id>& mark) : mark_(mark) { mark_ = std::this_thread::get_id(); }
  InCallback(const InCallback&) = delete;
  InCallback& operator=(const InCallback&) = delete;
  ~InCallback() { mark_ = std::thread::id(); }

 private:
  std::atomic<std::thread::id>& mark_;
};

/// What a callback throws must end neither the sync nor the process.
template <typename Callback, typename... Arguments>
void call_back(const Callback& callback, const Arguments&... arguments) noexcept {
  try {
    callback(arguments...);
  } catch (...) {  // NOLINT(bugprone-empty-catch): there is nobody else to tell
  }
}

}  // namespace

// Of all wallets before any is committed: what one of them fails at is not lost to the others.
void Syncer::collect(const std::vector<sync::MemberChanges>& wallets) {
  for (const auto& [id, changes] : wallets) {
    Held& held = by_id(id);
    for (const auto& record : changes.transactions) {
      const auto net = held.open.wallet.net_of(record.tx);
      held.news.emplace_back(TransactionEvent{held.name, util::to_string(record.txid), net, height_of(record)});
    }
    held.deferred.merge(changes);
    deferred_.insert(id);
  }
}

void Syncer::persist(const std::vector<sync::MemberChanges>& wallets) {
  collect(wallets);
  commit_what_matters();
  if (clock_().monotonic >= flush_at_) flush_deferred();
}

void Syncer::commit_what_matters() {
  for (const auto id : std::vector(deferred_.begin(), deferred_.end())) {
    Held& held = by_id(id);
    if (!is_position_only(held.deferred)) commit(held);
  }
}

void Syncer::commit(Held& held) {
  held.open.file.commit(held.deferred);
  held.deferred = {};
  deferred_.erase(held.id);
  for (auto& event : std::exchange(held.news, {})) events_.push(std::move(event));
}

void Syncer::keep(Held& held, wallet::Changes changes) {
  if (held.shard != nullptr) collect(held.shard->group().take_changes());
  held.deferred.merge(std::move(changes));
  deferred_.insert(held.id);
  commit(held);
}

void Syncer::flush_deferred() {
  commit_what_matters();
  const util::TimePoint begin = clock_().monotonic;
  util::TimePoint now = begin;
  int committed = 0;
  for (; !deferred_.empty() && now < begin + kFlushTime; now = clock_().monotonic) {
    // In turn, from where the last flush ended: the first ones would leave no time to the others.
    const auto next = deferred_.upper_bound(last_flushed_);
    last_flushed_ = next == deferred_.end() ? *deferred_.begin() : *next;
    commit(by_id(last_flushed_));
    ++committed;
  }
  flush_at_ = now + kPerWallet * std::max(committed, 1);
}

void Syncer::notify(Shard& shard, const sync::Event& event) {
  // All shards follow the same chain: the first one speaks of it.
  const bool first = &shard == shards_.front().get();
  std::visit(
      util::Overloaded{
          [&](const sync::TipChanged& e) {
            shard.tip = e.tip;
            tell_tip();
          },
          [&](const sync::ChainReorganised& e) {
            if (!first) return;
            events_.push(ReorganisationEvent{util::to_string(e.from.hash), util::to_string(e.to.hash), e.fork_height});
          },
          [&](const sync::ReorganisationHeld& e) {
            if (!first) return;
            events_.push(WarningEvent{"a heavier branch from block " + std::to_string(e.fork_height) +
                                      " waits until a second peer shows it too"});
          },
          [&](const sync::ChainStale& e) {
            if (!first) return;
            events_.push(WarningEvent{"no block has come for " + std::to_string(e.seconds / 60) +
                                      " minutes; the peers may be cut off from the network"});
          },
          [&](const sync::ClockSuspected& e) {
            if (!first) return;
            events_.push(WarningEvent{"a block is " + std::to_string(e.seconds) +
                                      " seconds ahead of the clock; set the clock right"});
          },
          [&](const sync::TransactionConflicted& e) { tell_conflict(shard, e); },
          [&](const sync::PeerStateChanged& e) {
            events_.push(PeerEvent{sync::to_string(e.address), e.state});
          },
          [&](const sync::Finished& e) {
            if (e.failure) return;
            shard.finished = true;
            const auto is_done = [](const auto& each) { return each->finished && !each->joining; };
            const bool all = std::ranges::all_of(shards_, is_done);
            if (all && !std::exchange(synced_told_, true)) events_.push(SyncedEvent{shard.headers()->tip_height()});
          },
          // Told where they are committed, wallet by wallet.
          [](const sync::TransactionSeen&) {}},
      event);
}

// Shards come to a block one after the other: it is told when the last of them has.
void Syncer::tell_tip() {
  if (shards_.empty()) return;
  const auto tip = shards_.front()->tip;
  const auto is_there = [&](const auto& each) { return each->tip == tip; };
  if (!tip || tip == told_tip_ || !std::ranges::all_of(shards_, is_there)) return;
  told_tip_ = tip;
  events_.push(TipEvent{tip->height, util::to_string(tip->hash)});
}

void Syncer::tell_conflict(Shard& shard, const sync::TransactionConflicted& event) {
  for (const auto id : shard.group().holders(event.txid)) {
    const Held& held = by_id(id);
    const bool ours = event.replaced_by && held.open.wallet.knows(*event.replaced_by);
    const auto by = ours ? util::to_string(*event.replaced_by) : std::string();
    events_.push(ConflictEvent{held.name, util::to_string(event.txid), by});
  }
}

void Syncer::heartbeat(Shard& shard) {
  if (&shard != shards_.front().get()) return;
  const util::TimePoint now = clock_().monotonic;
  if (!deferred_.empty() && now >= flush_at_) flush_deferred();
  if (book_ && now >= book_saved_ + kBookInterval) {
    book_->save();
    book_saved_ = now;
  }
  ProgressEvent progress;
  progress.headers = shard.headers()->tip_height();
  bool first = true;
  bool waiting = false;
  progress.bytes_in = past_.bytes_in;
  progress.bytes_out = past_.bytes_out;
  for (const auto& each : shards_) {
    const auto part = each->progress();
    waiting = waiting || !part;
    const std::int32_t scanned = part ? part->scanned : -1;
    progress.scanned = first ? scanned : std::min(progress.scanned, scanned);
    first = false;
    if (!part) continue;
    progress.announced = std::max(progress.announced, part->announced_height);
    progress.peers += static_cast<std::uint32_t>(part->ready_peers);
    progress.bytes_in += each->traffic().bytes_in;
    progress.bytes_out += each->traffic().bytes_out;
  }
  if (waiting && shard.progress()->headers_done) {
    shard.flush_headers();
    later([this] { start_shards(); });
  }
  const bool moved = !told_ || told_->headers != progress.headers || told_->scanned != progress.scanned ||
                     told_->peers != progress.peers;
  if (!moved) return;
  told_ = progress;
  events_.push(progress);
}

void Syncer::on_wake(std::function<void()> wake) {
  const std::lock_guard lock(callbacks_);
  wake_ = std::move(wake);
}

void Syncer::subscribe(std::function<void(const Event&)> subscriber) {
  const std::lock_guard lock(callbacks_);
  subscriber_ = std::move(subscriber);
}

void Syncer::deliver() {
  if (!events_.take_fresh()) return;
  const std::lock_guard lock(callbacks_);
  const InCallback here(callback_thread_);
  // Copies: each may put another one in its place.
  while (const auto subscriber = subscriber_) {
    const auto event = events_.pop(std::chrono::milliseconds(0));
    if (!event) break;
    call_back(subscriber, *event);
  }
  if (const auto wake = wake_) call_back(wake);
}

}  // namespace spv::client
