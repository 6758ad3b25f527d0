#include "sync/watch/alignment.h"

#include <algorithm>

namespace spv::sync {

chain::BlockRef standing_of(const wallet::ScanState& scan, chain::Height birthday, const chain::HeaderChain& chain) {
  const chain::BlockRef& last = scan.scanned_to;
  if (last.hash.is_zero() || chain.hash_at(last.height) == last.hash) return last;
  for (auto anchor = scan.anchors.rbegin(); anchor != scan.anchors.rend(); ++anchor) {
    if (chain.hash_at(anchor->height) == anchor->hash) return *anchor;
  }
  // The chain was left below all that we remember, so perhaps below the birthday too.
  const chain::Height below = birthday - 1 - wallet::Wallet::kReorganisationDepth;
  const chain::Height restart = std::clamp(below, chain.base_height(), chain.height());
  return {restart, *chain.hash_at(restart)};
}

chain::Height position_of(const wallet::Wallet& wallet) {
  const wallet::ScanState& scan = wallet.scan();
  if (scan.backfill) return scan.backfill->from;
  const chain::Height next = scan.scanned_to.height + 1;
  return scan.scanned_to.hash.is_zero() ? std::max(next, wallet.config().birthday) : next;
}

}  // namespace spv::sync
