// MempoolQuestions: who is asked for its mempool, and when all are asked again. An answer holds for what the filter
// held when it was made: what the scan found later needs a second question.
#pragma once

#include <set>

#include "sync/relay/tx_relay.h"
#include "sync/types/outbox.h"

namespace spv::sync {

class MempoolQuestions {
 public:
  /// `follow`: transactions are announced to us from then on, even if no mempool is asked for. The relay outlives this.
  MempoolQuestions(TxRelay& relay, bool follow) : relay_(relay), follow_(follow) {}

  /// Asks a peer, once. `filtered`: it has our filter; one that has none is told to announce everything.
  void ask(PeerId peer, bool filtered, util::Now now, Outbox& out);
  void on_peer_lost(PeerId peer) { unfiltered_.erase(peer); }
  /// Asks everybody again who was asked.
  void ask_again(util::Now now, Outbox& out) { relay_.ask_again(now, out); }
  /// More is watched since now.
  void on_found(util::Now now) { last_find_ = now.monotonic; }
  /// `sliced`: the filters hold only a part of what is watched, and only that is announced to us. True if that has just
  /// come to an end.
  bool note_sliced(bool sliced, util::Now now);
  /// True if no answer is waited for any more; asks again where the last one is outdated. `anyone`: some peer can be
  /// asked.
  bool settle(bool anyone, util::Now now, Outbox& out);

 private:
  TxRelay& relay_;
  bool follow_;
  std::set<PeerId> unfiltered_;  // were told to announce everything
  bool sliced_ = false;
  util::TimePoint last_find_{};
};

}  // namespace spv::sync
