#include "cli/output/scan_report.h"

#include <fmt/format.h>

#include "cli/output/progress_text.h"
#include "cli/output/report.h"
#include "wallet/birthday.h"

namespace spv::cli {

std::string incomplete_text(const report::Scanned& scanned, const report::ScanProgress& progress) {
  if (scanned.scan.scanned_to.hash.is_zero()) return "nothing scanned yet; run spv sync";
  if (progress.complete) return {};
  const chain::Height birthday = scanned.birthday;
  if (wallet::is_above_tip(birthday, progress.tip)) {
    return "incomplete: " + wallet::above_tip_text(birthday, progress.tip);
  }
  return fmt::format("incomplete: {} of {} blocks scanned; run spv sync to continue", grouped(progress.scanned),
                     grouped(progress.blocks));
}

std::string attested_text(const report::Scanned& scanned) {
  const report::ScanStanding standing = report::standing_of(scanned);
  const std::string blocks = grouped(standing.blocks) + (standing.blocks == 1 ? " block" : " blocks") + " scanned";
  const bool any = !scanned.scan.scanned_to.hash.is_zero();
  const bool before_birthday = wallet::is_above_tip(scanned.birthday, scanned.scan.scanned_to.height);
  if (standing.blocks == 0) return blocks + (any && before_birthday ? " since the birthday" : "");
  if (standing.by_one == standing.blocks) return blocks + ", each answered by one peer";
  if (standing.by_two == standing.blocks) return blocks + ", each answered by two peers";
  if (standing.whole == standing.blocks) return blocks + ", each downloaded whole";
  std::string parts;
  const auto add = [&](std::uint64_t count, const char* what) {
    if (count > 0) parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", grouped(count), what);
  };
  add(standing.by_one, "answered by one peer");
  add(standing.by_two, "by two peers");
  add(standing.whole, "downloaded whole");
  return blocks + ": " + parts;
}

std::string standing_text(const report::Scanned& scanned) {
  const auto& scan = scanned.scan;
  std::string text = fmt::format("as of block {}", scan.scanned_to.height);
  if (scan.time != 0) text += fmt::format(" ({})", local_time(scan.time));
  if (scan.peers != 0) text += fmt::format(", reported by {} peer{}", scan.peers, scan.peers == 1 ? "" : "s");
  if (scan.backfill) text += fmt::format("; rescan of blocks {} to {} pending", scan.backfill->from, scan.backfill->to);
  return text;
}

}  // namespace spv::cli
