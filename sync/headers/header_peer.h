// HeaderPeer: what one peer owes us of headers, and which blocks it says it has. HeaderSync alone changes it.
#pragma once

#include <optional>
#include <vector>

#include "chain/side_branches.h"
#include "chain/types.h"
#include "p2p/message.h"
#include "sync/types/types.h"
#include "util/time.h"

namespace spv::sync {

struct HeaderPeer {
  PeerId id = 0;
  chain::SourceId source = 0;
  bool in_turn = true;            // it is asked when its turn comes; a courier is only listened to
  bool caught_up = false;         // it has sent all it has above our tip
  bool ask_again = false;         // it announced something while an answer was due
  bool asked_ahead = false;       // the message that is handled next is full, and what follows was asked for already
  bool asked_to_connect = false;  // it sent headers that connected to nothing, and was asked from our locator

  std::optional<util::TimePoint> deadline;  // of the answer that is due
  std::vector<chain::BlockHash> locator;    // of that request: an answer follows one of these
  chain::Height asked_at_height = -1;       // our best chain when it was last asked
  chain::Height last_full_batch = -1;       // where its last full batch ended
  chain::Height serves_to = -1;             // the blocks of the best chain that it has said it has
  chain::Height claimed = -1;               // the height that it named in its version message
  chain::Height shown = -1;                 // the highest block of which it sent the header, or seems to have
  bool too_new = false;                     // it sent more, but from beyond our clock

  /// True if the message can be the answer that is due: it follows one of the blocks that we named. Few headers that
  /// follow something else are an announcement.
  [[nodiscard]] bool is_answer(const p2p::Headers& message) const;
  void note_served(chain::Height height);
  void note_shown(chain::Height height);
  /// It has sent all it has, and that is less than what it claims: on another chain, or still syncing.
  [[nodiscard]] bool overclaims() const { return caught_up && !too_new && claimed > shown; }
  /// Nothing more is expected from it for now.
  void rest();
};

}  // namespace spv::sync
