#include "cli/output/scan_report.h"

#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/output/json_values.h"
#include "cli/output/progress_text.h"
#include "cli/output/report.h"
#include "wallet/birthday.h"
#include "wallet/wallet.h"

namespace spv::cli {
namespace {

struct ScanStanding {
  std::uint64_t blocks = 0;
  std::uint64_t by_one = 0;
  std::uint64_t by_two = 0;
  std::uint64_t whole = 0;
};

std::uint64_t block_count(chain::Height from, chain::Height to) {
  return to < from ? 0 : static_cast<std::uint64_t>(to - from) + 1;
}

/// From the birthday up to this block, without those that are still to be scanned again.
std::uint64_t scanned_blocks(const wallet::Wallet& wallet, chain::Height to) {
  const chain::Height birthday = wallet.config().birthday;
  const auto& owed = wallet.scan().backfill;
  const auto blocks = block_count(birthday, to);
  return owed ? blocks - std::min(blocks, block_count(std::max(owed->from, birthday), std::min(owed->to, to))) : blocks;
}

ScanStanding standing_of(const wallet::Wallet& wallet) {
  const auto& scan = wallet.scan();
  if (scan.scanned_to.hash.is_zero()) return {};
  const auto counts = scan.attested.total();
  const auto blocks = scanned_blocks(wallet, scan.scanned_to.height);
  const auto known = counts.by_two + counts.whole;
  return {std::max(blocks, known), blocks > known ? blocks - known : 0, counts.by_two, counts.whole};
}

bool may_hold(const chain::HeaderStore& headers, const chain::BlockRef& block) {
  if (block.height < headers.base_height() || block.height > headers.tip_height()) return true;
  return headers.hash_at(block.height) == block.hash;
}

/// The highest scanned block that is on this chain, for all that is known; `none` if no anchor is.
chain::Height scanned_on(const chain::HeaderStore& headers, const wallet::ScanState& scan, chain::Height none) {
  if (may_hold(headers, scan.scanned_to)) return scan.scanned_to.height;
  for (auto anchor = scan.anchors.rbegin(); anchor != scan.anchors.rend(); ++anchor) {
    if (may_hold(headers, *anchor)) return anchor->height;
  }
  return none;
}

}  // namespace

ScanProgress scan_progress(const wallet::Wallet& wallet, const chain::HeaderStore* headers) {
  const auto& scan = wallet.scan();
  const chain::Height birthday = wallet.config().birthday;
  ScanProgress out;
  if (headers != nullptr) out.headers = headers->tip_height();
  chain::Height scanned_to = birthday - 1;
  if (!scan.scanned_to.hash.is_zero()) {
    scanned_to = headers == nullptr ? scan.scanned_to.height : scanned_on(*headers, scan, birthday - 1);
  }
  out.scanned = scanned_blocks(wallet, scanned_to);
  out.tip = std::max(scan.scanned_to.height, out.headers.value_or(-1));
  out.blocks = block_count(birthday, std::max(scanned_to, out.tip));
  out.complete = !scan.scanned_to.hash.is_zero() && !scan.backfill && out.scanned >= out.blocks &&
                 !wallet::is_above_tip(birthday, out.tip);
  return out;
}

std::string incomplete_text(const wallet::Wallet& wallet, const ScanProgress& progress) {
  if (wallet.scan().scanned_to.hash.is_zero()) return "nothing scanned yet; run spv sync";
  if (progress.complete) return {};
  const chain::Height birthday = wallet.config().birthday;
  if (wallet::is_above_tip(birthday, progress.tip)) {
    return "incomplete: " + wallet::above_tip_text(birthday, progress.tip);
  }
  return fmt::format("incomplete: {} of {} blocks scanned; run spv sync to continue", grouped(progress.scanned),
                     grouped(progress.blocks));
}

boost::json::value rescan_json(const wallet::Wallet& wallet) {
  const auto& backfill = wallet.scan().backfill;
  if (!backfill) return nullptr;
  return {{"from", backfill->from}, {"to", backfill->to}};
}

boost::json::object attested_json(const wallet::Wallet& wallet) {
  const ScanStanding standing = standing_of(wallet);
  return {
      {"blocks", standing.blocks}, {"by_one", standing.by_one}, {"by_two", standing.by_two}, {"whole", standing.whole}};
}

std::string attested_text(const wallet::Wallet& wallet) {
  const ScanStanding standing = standing_of(wallet);
  const std::string blocks = grouped(standing.blocks) + (standing.blocks == 1 ? " block" : " blocks") + " scanned";
  const bool scanned = !wallet.scan().scanned_to.hash.is_zero();
  const bool before_birthday = wallet::is_above_tip(wallet.config().birthday, wallet.scan().scanned_to.height);
  if (standing.blocks == 0) return blocks + (scanned && before_birthday ? " since the birthday" : "");
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

void add_standing(boost::json::object& document, const wallet::Wallet& wallet) {
  const auto& scan = wallet.scan();
  document.emplace("time", time_or_null(scan.time));
  document.emplace("peers", scan.peers);
  document.emplace("rescan", rescan_json(wallet));
  document.emplace("attested", attested_json(wallet));
}

std::string standing_text(const wallet::Wallet& wallet) {
  const auto& scan = wallet.scan();
  std::string text = fmt::format("as of block {}", scan.scanned_to.height);
  if (scan.time != 0) text += fmt::format(" ({})", local_time(scan.time));
  if (scan.peers != 0) text += fmt::format(", reported by {} peer{}", scan.peers, scan.peers == 1 ? "" : "s");
  if (scan.backfill) text += fmt::format("; rescan of blocks {} to {} pending", scan.backfill->from, scan.backfill->to);
  return text;
}

}  // namespace spv::cli
