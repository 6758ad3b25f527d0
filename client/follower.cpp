#include "client/follower.h"

#include <utility>

namespace spv::client {
namespace {

using namespace std::chrono_literals;

/// How long a look at the store takes at most, and with it an end.
constexpr auto kLook = 250ms;
/// Before the store is asked again that is away, or that another process has a wallet of.
constexpr auto kTryAgain = 1s;

}  // namespace

Follower::Follower(std::shared_ptr<store::Store> store, bool shares, Hooks hooks)
    : store_(std::move(store)), shares_(shares), hooks_(std::move(hooks)), thread_([this] { run(); }) {}

Follower::~Follower() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stop_.notify_all();
  thread_.join();
}

void Follower::open_again(const std::string& name) {
  const std::lock_guard lock(mutex_);
  reopened_.insert(name);
}

void Follower::take_reopened() {
  const std::lock_guard lock(mutex_);
  pending_.merge(reopened_);
  reopened_.clear();
}

bool Follower::rest(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  return stop_.wait_for(lock, time, [this] { return stopping_; });
}

void Follower::run() {
  for (auto pause = 0ms; !rest(pause);) {
    try {
      step();
      pause = !pending_.empty() ? kTryAgain : shares_ ? 0ms : kLook;
    } catch (const std::exception&) {
      pause = kTryAgain;  // what it was about is told by the sync, or comes again
    }
  }
}

void Follower::step() {
  take_reopened();
  if (shares_) follow_what_is_ours();
  open_pending();
  hooks_.resume();
}

void Follower::follow_what_is_ours() {
  if (!sharing_) store_->share_wallets();
  sharing_ = true;
  const auto changed = store_->wait_leased(pending_.empty() ? kLook : 0ms);
  for (const auto& name : changed.gone) {
    pending_.erase(name);
    hooks_.close(name);
  }
  pending_.insert(changed.taken.begin(), changed.taken.end());
}

void Follower::open_pending() {
  if (pending_.empty()) return;
  const auto later = hooks_.open({pending_.begin(), pending_.end()});
  pending_ = {later.begin(), later.end()};
}

}  // namespace spv::client
