// TrafficMeter: counts what a driver reads and writes, what is left of its budget, and the pace at which answers come.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "net/read_pace.h"
#include "net/traffic.h"

namespace spv::net {

class TrafficMeter {
 public:
  /// `budget` is counted down, and shared with other drivers; null: no bound.
  explicit TrafficMeter(std::uint64_t* budget) : budget_(budget) {}

  void on_read(std::size_t bytes, util::TimePoint now) {
    traffic_.bytes_in += bytes;
    pace_.on_read(bytes, now);
  }
  void on_write(std::size_t bytes) { traffic_.bytes_out += bytes; }
  /// Takes this much from the budget; true once nothing is left of it.
  [[nodiscard]] bool spend(std::size_t bytes) {
    if (budget_ == nullptr) return false;
    *budget_ -= std::min<std::uint64_t>(*budget_, bytes);
    return *budget_ == 0;
  }
  /// How long the next read should wait for more to come from this many peers.
  [[nodiscard]] util::Duration gather_time(std::size_t peers, util::TimePoint now) const {
    if (!pace_.gathers(now)) return util::Duration::zero();
    return peers == 1 ? ReadPace::kGatherTime : ReadPace::kGatherTimeOfSeveral;
  }
  [[nodiscard]] const Traffic& traffic() const { return traffic_; }

 private:
  std::uint64_t* budget_;
  Traffic traffic_;
  ReadPace pace_;
};

}  // namespace spv::net
