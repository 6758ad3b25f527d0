#include "sync/relay/mempool_wait.h"

#include <algorithm>
#include <utility>

namespace spv::sync {

std::string_view to_string(MempoolState state) {
  switch (state) {
    case MempoolState::Answered:
      return "answered";
    case MempoolState::Skipped:
    case MempoolState::Idle:  // there was nobody to ask
      return "skipped";
    case MempoolState::Asked:
    case MempoolState::TimedOut:
      return "timeout";
  }
  return "timeout";
}

MempoolWait::MempoolWait(util::Duration wait, util::Duration overrun)
    : wait_(wait),
      overrun_(overrun),
      state_(wait > util::Duration::zero() ? MempoolState::Idle : MempoolState::Skipped) {}

bool MempoolWait::ask(PeerId peer, util::TimePoint now) {
  const bool begins = asked_.empty();
  if (begins) {
    asked_at_ = now;
    deadline_ = asked_at_ + wait_;
    put_off_ = false;
    state_ = MempoolState::Asked;
  }
  asked_.insert(peer);
  return begins;
}

std::set<PeerId> MempoolWait::restart() {
  answered_.clear();
  return std::exchange(asked_, {});
}

void MempoolWait::on_announced(PeerId peer) {
  if (asked_.contains(peer)) answered_.insert(peer);
}

void MempoolWait::on_peer_lost(PeerId peer) {
  asked_.erase(peer);
  answered_.erase(peer);
}

void MempoolWait::extend_to(util::TimePoint now) { deadline_ = std::max(deadline_, now); }

void MempoolWait::settle(bool fetching) {
  const bool all = !asked_.empty() && answered_.size() == asked_.size();
  if (state_ == MempoolState::Asked && all && !fetching) state_ = MempoolState::Answered;
}

void MempoolWait::tick(bool fetching, util::TimePoint now) {
  const util::TimePoint limit = time_limit(fetching);
  if (state_ != MempoolState::Asked || now < limit) return;
  if (now < limit + kLateTick || std::exchange(put_off_, true)) {
    state_ = MempoolState::TimedOut;
  } else {
    deadline_ = now + kLateTick;
  }
}

std::optional<util::TimePoint> MempoolWait::deadline(bool fetching) const {
  if (state_ != MempoolState::Asked) return std::nullopt;
  return time_limit(fetching);
}

}  // namespace spv::sync
