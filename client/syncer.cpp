#include "client/syncer.h"

#include <algorithm>
#include <utility>

#include "client/errors.h"
#include "client/own_clock.h"

namespace spv::client {

Error Syncer::not_from_callback() {
  return {ErrorCode::State, "not from a callback: it would wait for itself; do it from another thread"};
}

Syncer::Syncer(const chain::NetworkParams& params, DataFolder folder, const WalletShelf& shelf, const Options& options,
               EventQueue& events)
    : params_(params),
      folder_(std::move(folder)),
      shelf_(shelf),
      options_(options),
      events_(events),
      clock_(clock_of(options)),
      next_budget_(options.byte_budget) {}

Syncer::~Syncer() { static_cast<void>(halt(false)); }

Result<void> Syncer::start(boost::asio::io_context* io) {
  if (on_own_thread()) return not_from_callback();
  const std::lock_guard control(control_);
  return start_under_control(io);
}

Result<void> Syncer::resume() {
  if (on_own_thread()) return not_from_callback();
  const std::lock_guard control(control_);
  return start_under_control(last_io_);
}

Result<void> Syncer::start_under_control(boost::asio::io_context* io) {
  if (running()) return Error{ErrorCode::State, "the sync is started already; stop it first"};
  if (io_ != nullptr) {
    // It ended by itself and told why; what it could not save is still here, or is read again.
    end_loop(false);
    static_cast<void>(wind_up());
  }
  events_.owe_end();
  if (auto ready = prepare(io); !ready) return ready;
  if (loop_) {
    try {
      thread_ = std::thread([this] { run_loop(); });
    } catch (...) {
      const auto error = current_error();
      static_cast<void>(wind_up());
      return error;
    }
    later([this] { start_shards(); });
  } else {
    start_shards();
  }
  return {};
}

Result<void> Syncer::prepare(boost::asio::io_context* io) {
  const std::lock_guard lock(mutex);
  if (next_budget_) bounded_ = *next_budget_ != 0;
  budget_ = std::exchange(next_budget_, std::nullopt).value_or(budget_);
  if (bounded_ && budget_ == 0) {
    return Error{ErrorCode::Budget, "the byte budget is spent; set a new one with set_byte_budget"};
  }
  return guarded<void>([&]() -> Result<void> {
    reload_wallets();
    if (options_.peers.empty() && !book_) book_.emplace(folder_.peers(), params_.magic);
    if (io == nullptr) loop_ = std::make_unique<net::Loop>();
    io_ = io == nullptr ? &loop_->io() : io;
    last_io_ = io;
    try {
      for (auto& [id, held] : wallets_) place(*held);
      if (!shards_.empty()) shards_.front()->open_headers(setup());
    } catch (...) {
      for (auto& [id, held] : wallets_) held->shard = nullptr;
      shards_.clear();
      io_ = nullptr;
      loop_.reset();
      throw;
    }
    running_ = true;
    synced_told_ = false;
    told_.reset();
    told_tip_.reset();
    return {};
  });
}

void Syncer::run_loop() {
  loop_thread_ = std::this_thread::get_id();
  const auto gather_time = [this] {
    const std::lock_guard lock(mutex);
    return shards_.size() == 1 ? shards_.front()->gather_time() : util::Duration::zero();
  };
  try {
    loop_->run(gather_time);
  } catch (...) {
    const auto error = current_error();
    {
      const std::lock_guard lock(mutex);
      running_ = false;
    }
    tell_end({ErrorCode::Internal, error.message});
  }
}

void Syncer::later(std::function<void()> what) {
  net::post(*io_, [what = std::move(what), alive = std::weak_ptr(alive_)] {
    if (!alive.expired()) what();
  });
}

std::vector<Shard*> Syncer::shards() {
  const std::lock_guard lock(mutex);
  std::vector<Shard*> all;
  all.reserve(shards_.size());
  for (const auto& shard : shards_) all.push_back(shard.get());
  return all;
}

Result<void> Syncer::stop() { return halt(true); }

void Syncer::tell_end(const Error& error) {
  events_.push(StoppedEvent{static_cast<int>(error.code), error.message});
  deliver();
}

Result<void> Syncer::halt(bool tell) {
  if (on_own_thread()) return not_from_callback();
  const std::lock_guard control(control_);
  const bool ran = running();
  Result<void> saved;
  if (io_ != nullptr) {
    end_loop(tell);
    saved = wind_up();
  }
  if (tell && !ran && events_.end_waiting()) deliver();
  return saved;
}

void Syncer::end_loop(bool tell) {
  const auto end = [this, tell] {
    if (tell) return end_all(0, "stop() was called");
    for (Shard* shard : shards()) shard->stop();
  };
  if (!loop_) return end();
  later([this, end] {
    end();
    loop_->stop();
  });
  thread_.join();
  thread_ = {};
  loop_thread_ = std::thread::id();
}

Result<void> Syncer::save() {
  return guarded<void>([&]() -> Result<void> {
    if (!stale_) flush_deferred();
    for (const auto& shard : shards_) shard->flush_headers();
    if (book_) book_->save();
    return {};
  });
}

Result<void> Syncer::wind_up() {
  const std::lock_guard lock(mutex);
  auto saved = unsaved_ ? Result<void>(*std::exchange(unsaved_, std::nullopt)) : save();
  for (const auto& shard : shards_) {
    past_.bytes_in += shard->traffic().bytes_in;
    past_.bytes_out += shard->traffic().bytes_out;
  }
  for (auto& [id, held] : wallets_) held->shard = nullptr;
  shards_.clear();
  io_ = nullptr;
  running_ = false;
  loop_.reset();
  return saved;
}

// Nobody else starts or stops anything in between.
Result<void> Syncer::restart() {
  if (on_own_thread()) return not_from_callback();
  const std::lock_guard control(control_);
  if (!running()) return {};  // paused or ended: to go on is the caller's to say
  end_loop(false);
  const bool ended = !running();  // by itself, just then; that was told
  auto done = wind_up();
  if (ended) return done;
  if (done) done = start_under_control(last_io_);
  if (!done) tell_end(done.error());
  return done;
}

bool Syncer::running() {
  const std::lock_guard lock(mutex);
  return running_;
}

void Syncer::set_budget(std::uint64_t bytes) {
  const std::lock_guard lock(mutex);
  next_budget_ = bytes;
}

}  // namespace spv::client
