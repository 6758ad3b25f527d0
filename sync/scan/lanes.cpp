#include "sync/scan/lanes.h"

namespace spv::sync {

const Lane* Lanes::find(PeerId peer) const {
  const auto found = lanes_.find(peer);
  return found == lanes_.end() ? nullptr : &found->second;
}

Lane* Lanes::find(PeerId peer) {
  const auto found = lanes_.find(peer);
  return found == lanes_.end() ? nullptr : &found->second;
}

const bip37::FilterMirror* Lanes::mirror() const {
  for (const auto& [id, lane] : lanes_) {
    if (lane.pipe.has_filter()) return &lane.pipe.mirror();
  }
  return nullptr;
}

std::uint32_t Lanes::reaching(chain::Height height) const {
  const auto has_it = [height](const auto& item) { return item.second.reach >= height; };
  return static_cast<std::uint32_t>(std::ranges::count_if(lanes_, has_it));
}

void Lanes::wear_out() {
  for (auto& [id, lane] : lanes_) lane.worn = true;
}

void Lanes::renew_others(FilterEpoch found) {
  for (auto& [id, lane] : lanes_) lane.lacking = lane.lacking || lane.pipe.epoch() != found;
}

void Lanes::start_over() {
  for (auto& [id, lane] : lanes_) {
    lane.pipe.forget_requests();
    lane.lacking = true;
  }
}

}  // namespace spv::sync
