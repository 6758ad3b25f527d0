// How a Syncer starts and stops, and how wallets come and go.
#include "client/syncer.h"

#include <set>
#include <utility>

#include "client/errors.h"
#include "client/settings.h"

namespace spv::client {

Error Syncer::not_from_callback() {
  return {ErrorCode::State, "cannot be called from a callback; call it from another thread"};
}

bool Syncer::on_own_thread() const { return loop_thread_ == std::this_thread::get_id() || events_.in_callback(); }

void Syncer::later(boost::asio::io_context& io, std::function<void()> what) {
  net::post(io, [what = std::move(what), alive = std::weak_ptr(alive_)] {
    if (!alive.expired()) what();
  });
}

Syncer::~Syncer() { static_cast<void>(halt(false)); }

Result<void> Syncer::start(boost::asio::io_context* io) {
  if (on_own_thread()) return not_from_callback();
  const auto loop = loop_.lock();
  return begin(*loop, io, time_limit());
}

Result<void> Syncer::resume() {
  if (on_own_thread()) return not_from_callback();
  const auto loop = loop_.lock();
  return begin(*loop, loop->last(), time_limit());
}

Result<void> Syncer::stop() { return halt(true); }

void Syncer::resume_if_waiting() {
  const auto loop = loop_.lock();
  if (!state_.lock()->waits_for_store) return;
  const auto ends_at = state_.lock()->ends_at;
  const auto resumed = begin(*loop, loop->last(), ends_at);
  if (resumed) return;
  {
    const auto state = state_.lock();
    // A wallet that another process has is about to be closed here.
    state->waits_for_store =
        may_wait(*state) || (setup_.options.follow_all && resumed.error().code == ErrorCode::Locked);
    if (state->waits_for_store) return;
  }
  tell_end(resumed.error());
}

// Nobody else starts or stops anything in between.
Result<void> Syncer::restart() {
  if (on_own_thread()) return not_from_callback();
  const auto loop = loop_.lock();
  if (!running()) return {};  // paused or ended: to go on is the caller's to say
  end_loop(*loop, false);
  const bool ended = !running();  // by itself, just then; that was told
  auto done = wind_up(*loop);
  if (ended) return done;
  const auto ends_at = state_.lock()->ends_at;
  if (done) done = begin(*loop, loop->last(), ends_at);
  if (done) return done;
  {
    const auto state = state_.lock();
    state->waits_for_store = may_wait(*state);
    if (state->waits_for_store) return done;
  }
  tell_end(done.error());
  return done;
}

std::optional<util::TimePoint> Syncer::time_limit() const {
  if (setup_.options.timeout == setup_.options.timeout.zero()) return std::nullopt;
  return setup_.clock().monotonic + setup_.options.timeout;
}

Result<void> Syncer::begin(SyncLoop& loop, boost::asio::io_context* io, std::optional<util::TimePoint> ends_at) {
  if (running()) return Error{ErrorCode::State, "already started; call stop() first"};
  if (loop.is_open()) {
    // It ended by itself and told why; what it could not save is still here, or is read again.
    end_loop(loop, false);
    static_cast<void>(wind_up(loop));
  }
  own_loop_ = io == nullptr;
  events_.queue().owe_end();
  state_.lock()->ends_at = ends_at;
  if (auto ready = prepare(loop, io); !ready) return ready;
  if (!loop.is_ours()) {
    start_shards();
    return {};
  }
  auto running = guarded<void>([&]() -> Result<void> {
    loop.run([this](net::Loop& own) { run_loop(own); });
    return {};
  });
  if (!running) {
    static_cast<void>(wind_up(loop));
    return running;
  }
  later(loop.io(), [this] { start_shards(); });
  return {};
}

Result<void> Syncer::prepare(SyncLoop& loop, boost::asio::io_context* io) {
  const auto state = state_.lock();
  if (!state->budget.renew()) {
    return Error{ErrorCode::Budget, "the byte budget is used up; set a new one with set_byte_budget()"};
  }
  return guarded<void>([&]() -> Result<void> {
    state->wallets.reload();
    state->waits_for_store = false;
    if (setup_.options.peers.empty() && !state->book) {
      state->book.emplace(setup_.folder.peers(), setup_.params, log_of(setup_.options), setup_.clock().monotonic);
    }
    loop.open(io);
    auto placed = state->place_all(loop.io());
    if (!placed) loop.close();
    return placed;
  });
}

void Syncer::run_loop(net::Loop& loop) {
  loop_thread_ = std::this_thread::get_id();
  try {
    loop.run([this] { return state_.lock()->shards.gather_time(); });
  } catch (...) {
    const auto error = current_error();
    state_.lock()->running = false;
    tell_end({ErrorCode::Internal, error.message});
  }
}

void Syncer::tell_end(const Error& error) { events_.tell(StoppedEvent{static_cast<int>(error.code), error.message}); }

Result<void> Syncer::halt(bool tell) {
  if (on_own_thread()) return not_from_callback();
  const auto loop = loop_.lock();
  const bool ran = running();
  state_.lock()->waits_for_store = false;
  Result<void> saved;
  if (loop->is_open()) {
    end_loop(*loop, tell);
    saved = wind_up(*loop);
  }
  if (tell && !ran && events_.queue().end_waiting()) events_.deliver();
  return saved;
}

void Syncer::end_loop(SyncLoop& loop, bool tell) {
  const auto end = [this, tell] { return tell ? end_all(0, "stop() was called", true) : stop_shards(); };
  if (!loop.is_ours()) return end();
  loop.end_thread(end);
  loop_thread_ = std::thread::id();
}

Result<void> Syncer::wind_up(SyncLoop& loop) {
  const auto state = state_.lock();
  auto saved = state->unsaved ? Result<void>(*std::exchange(state->unsaved, std::nullopt)) : state->save();
  state->end();
  loop.close();
  return saved;
}

// --- wallets --------------------------------------------------------------------------------------------------------

Result<Syncer::Added> Syncer::add(const std::string& name, OpenWallet open) {
  std::vector<Named> one;
  one.push_back({name, std::move(open)});
  return add_all(std::move(one));
}

Result<Syncer::Added> Syncer::add_all(std::vector<Named> wallets) {
  const auto state = state_.lock();
  std::set<Shard*> changed;
  Result<Added> out = Added::Done;
  for (auto& [name, open] : wallets) {
    if (state->wallets.find(name) != nullptr) continue;
    const auto base = header_base(setup_.params, open.wallet.config());
    const bool reaches = !state->running || state->shards.empty() || state->shards.first().session.reaches(base);
    if (!reaches && on_own_thread()) {
      out = not_from_callback();
      break;
    }
    Held& held = state->wallets.open(name, std::move(open));
    if (!reaches) out = Added::NeedsRestart;
    if (!state->running || !reaches) continue;
    if (const auto taken = state->take_in(held); !taken) {
      out = taken.error();
      break;
    }
    changed.insert(held.shard);
  }
  if (!changed.empty()) state->show();  // they have blocks to catch up on
  for (Shard* shard : changed) later(*state->io, [this, shard] { on_wallets_changed(shard); });
  return out;
}

void Syncer::watch_more(SyncState& state, const Held& held) {
  if (held.shard == nullptr) return;
  held.shard->session.on_scripts_added(held.id);
  later(*state.io, [this, shard = held.shard] { on_wallets_changed(shard); });
}

Result<void> Syncer::restart_for(const std::string& name) {
  auto restarted = restart();
  if (!restarted) static_cast<void>(remove(name));
  return restarted;
}

Result<void> Syncer::remove(const std::string& name) {
  const auto state = state_.lock();
  if (state->wallets.give_up(name)) return {};
  Held* held = state->wallets.find(name);
  if (held == nullptr) return Error{ErrorCode::NotFound, "the wallet '" + name + "' is not open"};
  const auto saved = guarded<void>([&]() -> Result<void> {
    if (held->shard != nullptr) state->wallets.note(held->shard->session.take_changes());
    state->wallets.commit_pending(*held);
    return {};
  });
  if (held->shard != nullptr) {
    held->shard->session.remove(held->id);
    later(*state->io, [this, shard = held->shard] { on_wallets_changed(shard); });
  }
  state->wallets.close(*held);
  if (state->running) state->shards.keep_tip(state->wallets);
  return saved;
}

}  // namespace spv::client
