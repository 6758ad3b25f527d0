#include "sync/engine/proven_chain.h"

#include <algorithm>

namespace spv::sync {

chain::Height proven_height(const chain::HeaderChain& chain) {
  if (chain.has_minimum_work()) return chain.height();
  const auto checkpoints = chain.params().checkpoints;
  for (auto point = checkpoints.rbegin(); point != checkpoints.rend(); ++point) {
    if (point->height <= chain.height()) return point->height;
  }
  return -1;
}

// Blocks are scanned while later headers still come; but a date needs headers of that day to become a height.
bool can_align(const Watcher& watcher, const chain::HeaderChain& chain, bool all_headers) {
  if (all_headers) return chain.has_minimum_work();
  const chain::Height proven = proven_height(chain);
  const Standing standing = watcher.standing();
  if (proven < std::max(standing.scanned_to.height, standing.birthday)) return false;
  return !standing.birthday_time || chain.at(proven)->time > *standing.birthday_time;
}

}  // namespace spv::sync
