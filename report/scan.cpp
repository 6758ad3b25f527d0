#include "report/scan.h"

#include <algorithm>

#include <boost/json.hpp>

#include "report/values.h"
#include "wallet/birthday.h"

namespace spv::report {
namespace {

std::uint64_t block_count(chain::Height from, chain::Height to) {
  return to < from ? 0 : static_cast<std::uint64_t>(to - from) + 1;
}

/// From the birthday up to this block, without those that are still to be scanned again.
std::uint64_t scanned_blocks(const Scanned& scanned, chain::Height to) {
  const chain::Height birthday = scanned.birthday;
  const auto& owed = scanned.scan.backfill;
  const auto blocks = block_count(birthday, to);
  return owed ? blocks - std::min(blocks, block_count(std::max(owed->from, birthday), std::min(owed->to, to))) : blocks;
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

ScanStanding standing_of(const Scanned& scanned) {
  const auto& scan = scanned.scan;
  if (scan.scanned_to.hash.is_zero()) return {};
  const auto counts = scan.attested.total();
  const auto blocks = scanned_blocks(scanned, scan.scanned_to.height);
  const auto known = counts.by_two + counts.whole;
  return {std::max(blocks, known), blocks > known ? blocks - known : 0, counts.by_two, counts.whole};
}

ScanProgress scan_progress(const Scanned& scanned, const chain::HeaderStore* headers) {
  const auto& scan = scanned.scan;
  const chain::Height birthday = scanned.birthday;
  ScanProgress out;
  if (headers != nullptr) out.headers = headers->tip_height();
  chain::Height scanned_to = birthday - 1;
  if (!scan.scanned_to.hash.is_zero()) {
    scanned_to = headers == nullptr ? scan.scanned_to.height : scanned_on(*headers, scan, birthday - 1);
  }
  out.scanned = scanned_blocks(scanned, scanned_to);
  out.tip = std::max(scan.scanned_to.height, out.headers.value_or(-1));
  out.blocks = block_count(birthday, std::max(scanned_to, out.tip));
  out.complete = !scan.scanned_to.hash.is_zero() && !scan.backfill && out.scanned >= out.blocks &&
                 !wallet::is_above_tip(birthday, out.tip);
  return out;
}

boost::json::value rescan_json(const Scanned& scanned) {
  const auto& backfill = scanned.scan.backfill;
  if (!backfill) return nullptr;
  return {{"from", backfill->from}, {"to", backfill->to}};
}

boost::json::object attested_json(const Scanned& scanned) {
  const ScanStanding standing = standing_of(scanned);
  return {
      {"blocks", standing.blocks}, {"by_one", standing.by_one}, {"by_two", standing.by_two}, {"whole", standing.whole}};
}

void put_standing(boost::json::object& document, const Scanned& scanned) {
  const auto& scan = scanned.scan;
  document.emplace("time", time_or_null(scan.time));
  document.emplace("peers", scan.peers);
  document.emplace("rescan", rescan_json(scanned));
  document.emplace("attested", attested_json(scanned));
}

}  // namespace spv::report
