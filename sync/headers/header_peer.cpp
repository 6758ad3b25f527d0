#include "sync/headers/header_peer.h"

#include <algorithm>

namespace spv::sync {

bool HeaderPeer::is_answer(const p2p::Headers& message) const {
  constexpr std::size_t kMaxAnnounced = 8;  // Core announces no more blocks at once by their headers
  if (message.headers.empty() || message.headers.size() > kMaxAnnounced) return true;
  return std::ranges::find(locator, message.headers.front().previous) != locator.end();
}

void HeaderPeer::note_served(chain::Height height) { serves_to = std::max(serves_to, height); }

void HeaderPeer::note_shown(chain::Height height) { shown = std::max(shown, height); }

void HeaderPeer::rest() {
  deadline.reset();
  caught_up = true;
}

}  // namespace spv::sync
