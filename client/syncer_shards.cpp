// How the shards of a Syncer begin and end, on the thread of the loop.
#include <algorithm>
#include <functional>
#include <utility>

#include "client/errors.h"
#include "client/syncer.h"

namespace spv::client {
namespace {

/// Keeps what a step has locked where the hooks find it, as long as the step takes.
class InStep {
 public:
  InStep(SyncState*& place, SyncState& state) : place_(place) { place_ = &state; }
  InStep(const InStep&) = delete;
  InStep& operator=(const InStep&) = delete;
  ~InStep() { place_ = nullptr; }

 private:
  SyncState*& place_;
};

}  // namespace

void Syncer::start_shards() {
  std::vector<Shard*> due;
  {
    const auto state = state_.lock();
    if (state->running) due = state->shards.due();
  }
  for (Shard* shard : due) start_shard(*shard);
}

SessionHooks Syncer::hooks_of(Shard& shard) {
  SessionHooks hooks;
  hooks.around = [this, &shard](const std::function<void()>& step) {
    const auto state = state_.lock();
    const InStep in_step(in_step_, *state);
    step();
    place_again(*state, shard);
    if (state->stands_otherwise) state->show();
  };
  hooks.commit = [this](const std::vector<MemberChanges>& changes) {
    in_step_->stands_otherwise = true;
    in_step_->wallets.persist(changes);
  };
  hooks.notify = [this, &shard](const SyncEvent& event) {
    // Before it is told: who hears of a block asks at once how the chain stands.
    in_step_->show();
    in_step_->stands_otherwise = true;
    if (const auto* fees = std::get_if<FeesKnown>(&event)) in_step_->fees = {*fees, setup_.clock().monotonic};
    in_step_->announcer.notify(shard, event, in_step_->shards, in_step_->wallets);
  };
  hooks.heartbeat = [this, &shard] { heartbeat(*in_step_, shard); };
  hooks.after = [this] { events_.deliver(); };
  return hooks;
}

void Syncer::start_shard(Shard& shard) {
  const auto made = guarded<void>([&]() -> Result<void> {
    const auto state = state_.lock();
    const auto setup = state->session_setup();
    shard.session.open_headers(setup);
    shard.finished = false;
    shard.session.prepare(*state->io, setup, hooks_of(shard));
    return {};
  });
  if (!made) return end_all(static_cast<int>(made.error().code), made.error().message);
  shard.session.start(
      [this, &shard](RunResult result, const std::string& trouble) { on_done(shard, result, trouble); });
}

void Syncer::stop_shards() {
  const auto all = state_.lock()->shards.all();
  for (Shard* shard : all) shard->session.stop();
}

void Syncer::on_done(Shard& shard, RunResult result, const std::string& trouble) {
  const auto end = [this](ErrorCode code, std::string message) { end_all(static_cast<int>(code), std::move(message)); };
  if (result == RunResult::Failed) {
    state_.lock()->wallets.mark_stale();
    return end(ErrorCode::Storage, trouble);
  }
  if (result == RunResult::BudgetSpent) {
    return end(ErrorCode::Budget, "the byte budget is used up; progress is saved");
  }
  if (result == RunResult::TimedOut) return end(ErrorCode::Timeout, "timed out; progress is saved");
  if (const auto failure = shard.session.failure()) return end(ErrorCode::Network, failure->message);
  go_on();
}

void Syncer::go_on() {
  const bool done = state_.lock()->shards.all_ended();
  if (done) return end_all(0, "");
  start_shards();
}

bool Syncer::may_wait(const SyncState& state) const {
  return resumes_by_itself_ && own_loop_ && state.wallets.store_away();
}

void Syncer::end_all(int code, std::string message, bool by_user) {
  stop_shards();
  bool waits = false;
  {
    const auto state = state_.lock();
    if (!std::exchange(state->running, false)) return;
    if (const auto saved = state->save(); !saved) {
      state->wallets.mark_stale();
      state->unsaved = saved.error();
      code = static_cast<int>(saved.error().code);
      message = saved.error().message;
    }
    waits = !by_user && code == static_cast<int>(ErrorCode::Storage) && may_wait(*state);
    state->waits_for_store = waits;
    state->show();
  }
  if (waits) return events_.tell(WarningEvent{message + "; sync resumes when the database can be reached"});
  events_.tell(StoppedEvent{code, std::move(message)});
}

// It may be gone meanwhile, or have new wallets.
void Syncer::on_wallets_changed(Shard* shard) {
  bool joined = false;
  bool empty = false;
  bool ended = false;
  {
    const auto state = state_.lock();
    if (!state->shards.contains(shard)) return;
    empty = shard->session.empty();
    ended = shard->ended();
    joined = std::exchange(shard->joining, false);
    if (!empty && !ended) shard->finished = false;
  }
  if (empty) {
    remove_empty(*shard);
  } else if (!ended) {
    shard->session.on_wallets_changed();
  } else if (joined) {
    retire(*shard);
  }
  go_on();
}

void Syncer::place_again(SyncState& state, Shard& left) {
  for (Shard* shard : state.place_again(left)) later(*state.io, [this, shard] { on_wallets_changed(shard); });
}

void Syncer::unite_shards() {
  std::optional<Shards::Union> both;
  {
    const auto state = state_.lock();
    if (state->running) both = state->unite();
  }
  if (!both) return;
  on_wallets_changed(both->into);
  on_wallets_changed(both->from);
}

// The first shard writes the headers, and the others wait for them: where it goes, those begin anew behind another one.
void Syncer::remove_empty(Shard& shard) {
  const auto all = state_.lock()->shards.all();
  for (Shard* each : all) {
    if (&shard == all.front() || &shard == each) retire(*each);
  }
  const auto state = state_.lock();
  state->shards.erase(shard);
  state->announcer.tell_tip(state->shards);  // the others may have waited for this one
}

void Syncer::retire(Shard& shard) {
  shard.session.stop();
  state_.lock()->shards.retire(shard);
}

// Much of what a step does is neither committed nor told, headers above all: the board shows it a beat later.
void Syncer::heartbeat(SyncState& state, Shard& shard) {
  state.stands_otherwise = true;
  if (!state.shards.is_first(shard)) return;
  state.wallets.flush_if_due();
  state.wallets.tell_synced();
  state.announcer.log_tip(state.shards, state.wallets);
  if (state.book) state.book->save_if_due(setup_.clock().monotonic);
  if (state.shards.others_can_start()) {
    shard.session.flush_headers();
    later(*state.io, [this] { start_shards(); });
  }
  if (state.shards.next_union()) later(*state.io, [this] { unite_shards(); });
  state.announcer.tell_progress(state.shards.progress());
}

}  // namespace spv::client
