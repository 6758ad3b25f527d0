#include "cli/output/scan_report.h"

#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/output/json_values.h"
#include "cli/output/progress_text.h"
#include "cli/output/report.h"
#include "wallet/wallet.h"

namespace spv::cli {
namespace {

struct ScanStanding {
  std::uint64_t blocks = 0;
  std::uint64_t by_one = 0;
  std::uint64_t by_two = 0;
  std::uint64_t whole = 0;
};

ScanStanding standing_of(const wallet::Wallet& wallet) {
  const auto& scan = wallet.scan();
  if (scan.scanned_to.hash.is_zero()) return {};
  const auto counts = scan.attested.total();
  const auto blocks = static_cast<std::uint64_t>(std::max(scan.scanned_to.height - wallet.config().birthday + 1, 0));
  const auto known = counts.by_two + counts.whole;
  return {std::max(blocks, known), blocks > known ? blocks - known : 0, counts.by_two, counts.whole};
}

}  // namespace

boost::json::object attested_json(const wallet::Wallet& wallet) {
  const ScanStanding standing = standing_of(wallet);
  return {
      {"blocks", standing.blocks}, {"by_one", standing.by_one}, {"by_two", standing.by_two}, {"whole", standing.whole}};
}

std::string attested_text(const wallet::Wallet& wallet) {
  const ScanStanding standing = standing_of(wallet);
  std::string parts;
  const auto add = [&](std::uint64_t count, const char* what) {
    if (count > 0) parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", grouped(count), what);
  };
  add(standing.by_one, "on the word of one peer");
  add(standing.by_two, "of two");
  add(standing.whole, "whole");
  return fmt::format("{} block{} scanned{}{}", grouped(standing.blocks), standing.blocks == 1 ? "" : "s",
                     parts.empty() ? "" : ": ", parts);
}

void add_standing(boost::json::object& document, const wallet::Wallet& wallet) {
  const auto& scan = wallet.scan();
  document.emplace("time", time_or_null(scan.time));
  document.emplace("peers", scan.peers);
  boost::json::value owed;
  if (scan.backfill) owed = {{"from", scan.backfill->from}, {"to", scan.backfill->to}};
  document.emplace("rescan", owed);
  document.emplace("attested", attested_json(wallet));
}

std::string standing_text(const wallet::Wallet& wallet) {
  const auto& scan = wallet.scan();
  std::string text = fmt::format("as of block {}", scan.scanned_to.height);
  if (scan.time != 0) text += fmt::format(" ({})", local_time(scan.time));
  if (scan.peers != 0) text += fmt::format(", which {} peer{}", scan.peers, scan.peers == 1 ? " has" : "s have");
  if (scan.backfill) {
    text += fmt::format("; blocks {} to {} are to be looked at again, run spv sync", scan.backfill->from,
                        scan.backfill->to);
  }
  return text;
}

}  // namespace spv::cli
