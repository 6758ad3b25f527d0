#include "sync/engine/mempool_questions.h"

#include <utility>

namespace spv::sync {

// Without a filter a peer announces all transactions once it is told to; after the mempool, so that the first that it
// announces are the answer.
void MempoolQuestions::ask(PeerId peer, bool filtered, util::Now now, Outbox& out) {
  if (!relay_.has_asked_mempool(peer)) relay_.ask_mempool(peer, now, out);
  const bool wanted = relay_.mempool() != MempoolState::Skipped || follow_;
  if (!filtered && wanted && unfiltered_.insert(peer).second) out.send(peer, p2p::FilterClear{});
}

bool MempoolQuestions::note_sliced(bool sliced, util::Now now) {
  const bool ended = std::exchange(sliced_, sliced) && !sliced;
  if (ended) on_found(now);
  return ended;
}

bool MempoolQuestions::settle(bool anyone, util::Now now, Outbox& out) {
  if (relay_.mempool() == MempoolState::Skipped) return true;
  if (relay_.mempool() == MempoolState::Idle && !anyone) return true;
  if (last_find_ > relay_.asked_at()) relay_.ask_again(now, out);
  return relay_.mempool() == MempoolState::Answered || relay_.mempool() == MempoolState::TimedOut;
}

}  // namespace spv::sync
