#include "sync/relay/fee_floor.h"

#include <algorithm>
#include <vector>

namespace spv::sync {

void FeeFloor::on(PeerId peer, const p2p::FeeFilter& message) {
  heard_.erase(peer);
  if (message.sat_per_kvb >= 0 && message.sat_per_kvb <= kHighest) heard_[peer] = message.sat_per_kvb;
}

std::optional<std::int64_t> FeeFloor::median() const {
  if (heard_.empty()) return std::nullopt;
  std::vector<std::int64_t> values;
  values.reserve(heard_.size());
  for (const auto& [peer, value] : heard_) values.push_back(value);
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace spv::sync
