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
  bool asked_to_connect = false;  // it sent headers that connected to nothing, and was asked from our locator

  std::optional<util::TimePoint> deadline;  // of the answer that is due
  std::vector<chain::BlockHash> locator;    // of that request: an answer follows one of these
  chain::Height asked_at_height = -1;       // our best chain when it was last asked
  chain::Height last_full_batch = -1;       // where its last full batch ended
  chain::Height serves_to = -1;             // the blocks of the best chain that it has said it has

  /// True if the message can be the answer that is due: it follows one of the blocks that we named. Few headers that
  /// follow something else are an announcement.
  [[nodiscard]] bool is_answer(const p2p::Headers& message) const;
  void note_served(chain::Height height);
  /// Nothing more is expected from it for now.
  void rest();
};

}  // namespace spv::sync
