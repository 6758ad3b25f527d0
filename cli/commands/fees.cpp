// `spv fees`: what peers say they relay and what recent blocks earned.
#include "report/fees.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/spend/broadcast_run.h"
#include "cli/output/report.h"

namespace spv::cli {
namespace {

std::string plural(std::size_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

void print_fees(const client::FeesKnown& fees) {
  const auto rate = [](std::int64_t sat_per_kvb) {
    return fmt::format("{:.2f} sat/vB", static_cast<double>(sat_per_kvb) / 1000);
  };
  print_line(fees.floor ? fmt::format("floor     {}: the median of what {} relay{}", rate(*fees.floor),
                                      plural(fees.peers_heard, "peer"), fees.peers_heard == 1 ? "s" : "")
                        : "floor     not known: no peer announced what it relays");
  if (!fees.estimate) {
    print_line("estimate  not known: recent blocks earned no fees, or no peer told");
    return;
  }
  print_line(fmt::format("estimate  {}: what the last {} earned; {} told alike by two peers", rate(*fees.estimate),
                         plural(fees.blocks_used, "block"), fees.blocks_by_two));
  print_line("Both are what peers say. None of it is proven, and neither promises the next block.");
}

}  // namespace

ExitCode run(const CommonOptions& common, const FeesOptions& options) {
  const auto fees = ask_fees(common, options.sync, nullptr);
  if (common.json) {
    print_json(report::fees_json(fees));
  } else {
    print_fees(fees);
  }
  return ExitCode::Done;
}

}  // namespace spv::cli
