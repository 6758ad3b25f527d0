#include "sync/scan/methods/scan_method.h"

namespace spv::sync {

p2p::GetData getdata_of(p2p::InventoryType type, const std::vector<chain::BlockRef>& blocks) {
  p2p::GetData message;
  message.items.reserve(blocks.size());
  for (const auto& block : blocks) message.items.push_back({type, util::retag<util::Hash256>(block.hash)});
  return message;
}

}  // namespace spv::sync
