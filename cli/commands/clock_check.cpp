#include "cli/commands/clock_check.h"

#include <fmt/format.h>

#include "chain/header_chain.h"
#include "cli/output/report.h"

namespace spv::cli {

std::optional<std::string> clock_complaint(const chain::HeaderChain& chain, util::UnixTime now) {
  chain::Height height = chain.height();
  util::UnixTime newest = chain.at(height)->time;
  // A chain that has only begun says nothing about the time; the built-in start points do.
  if (const auto points = chain.params().start_points; !points.empty() && points.back().header.time > newest) {
    height = points.back().height;
    newest = points.back().header.time;
  }
  if (now + chain::kMaxFutureSeconds >= newest) return std::nullopt;
  return fmt::format("the clock says {}, but block {} is from {}; set the clock right and try again", local_time(now),
                     height, local_time(newest));
}

}  // namespace spv::cli
