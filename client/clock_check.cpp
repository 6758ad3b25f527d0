#include "client/clock_check.h"

#include "chain/header_chain.h"

namespace spv::client {

std::optional<ClockBehind> check_clock(const chain::HeaderChain& chain, util::UnixTime now) {
  ClockBehind found{now, chain.height(), chain.at(chain.height())->time};
  // A chain that has only begun says nothing about the time; the built-in start points do.
  if (const auto points = chain.params().start_points;
      !points.empty() && points.back().header.time > found.block_time) {
    found.height = points.back().height;
    found.block_time = points.back().header.time;
  }
  if (now + chain::kMaxFutureSeconds >= found.block_time) return std::nullopt;
  return found;
}

}  // namespace spv::client
