// MempoolWait: the wait for the mempools of the peers that were asked. A node that has nothing for us does not answer,
// so the wait has an end; what was announced by then is waited for a little longer.
//
//   Skipped (no wait wanted)      Idle --ask--> Asked --all answered, all fetched--> Answered
//                                                 \--deadline--> TimedOut
#pragma once

#include <optional>
#include <set>
#include <string_view>

#include "sync/types/types.h"

namespace spv::sync {

enum class MempoolState { Idle, Asked, Answered, TimedOut, Skipped };
/// answered, timeout or skipped: as the JSON of `spv sync` has it.
std::string_view to_string(MempoolState state);

class MempoolWait {
 public:
  /// Where the end of the wait is noticed this late, it is put off once by as much: the program stood still, and the
  /// answer may lie unread.
  static constexpr util::Duration kLateTick = std::chrono::seconds(1);

  /// `wait` zero: nobody is asked. `overrun`: how much longer the wait may take while announced transactions come.
  MempoolWait(util::Duration wait, util::Duration overrun);

  /// The peer is asked; true if that begins the wait. A peer that is asked later does not make it longer.
  bool ask(PeerId peer, util::TimePoint now);
  /// The wait begins anew with the next peer that is asked; those that were asked so far.
  [[nodiscard]] std::set<PeerId> restart();
  /// The peer announced transactions.
  void on_announced(PeerId peer);
  void on_peer_lost(PeerId peer);
  /// The wait ends now at the earliest.
  void extend_to(util::TimePoint now);
  /// Ends the wait if everybody has answered and nothing is being fetched.
  void settle(bool fetching);
  /// Ends the wait if its time is over.
  void tick(bool fetching, util::TimePoint now);

  [[nodiscard]] MempoolState state() const { return state_; }
  [[nodiscard]] bool has_asked(PeerId peer) const { return asked_.contains(peer); }
  /// When the wait began.
  [[nodiscard]] util::TimePoint asked_at() const { return asked_at_; }
  /// When the wait ends; nothing unless it lasts.
  [[nodiscard]] std::optional<util::TimePoint> deadline(bool fetching) const;

 private:
  [[nodiscard]] util::TimePoint time_limit(bool fetching) const { return fetching ? deadline_ + overrun_ : deadline_; }

  util::Duration wait_;
  util::Duration overrun_;
  MempoolState state_;
  std::set<PeerId> asked_;
  std::set<PeerId> answered_;  // of those
  util::TimePoint asked_at_{};
  util::TimePoint deadline_{};
  bool put_off_ = false;
};

}  // namespace spv::sync
