#include "cli/commands/growing.h"

#include <fmt/format.h>

#include "cli/error.h"
#include "cli/output/report.h"

namespace spv::cli {

void require_not_lower(std::uint32_t gap_limit, const wallet::WalletConfig& config) {
  if (gap_limit >= config.gap_limit) return;
  throw CommandError(
      ExitCode::Failed, "gap-limit",
      fmt::format("the gap limit is {} and cannot be lowered: addresses beyond it may have been handed out already",
                  config.gap_limit));
}

std::optional<wallet::HeightRange> grow(OpenWallet& open, const client::Growth& growth) {
  const auto after = client::grown(open.stored->load(), growth);
  open.stored->reconfigure(after);
  return after.state.scan.backfill;
}

void print_owed(const std::optional<wallet::HeightRange>& owed) {
  if (owed) print_line(fmt::format("the next spv sync scans blocks {} to {} again", owed->from, owed->to));
}

}  // namespace spv::cli
