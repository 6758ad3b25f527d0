// How far a wallet is scanned and how many peers vouch for it (security.md E11); shown with every balance.
#pragma once

#include <optional>
#include <string>

#include <boost/json/fwd.hpp>

#include "chain/header_store.h"

namespace spv::wallet {
class Wallet;
}

namespace spv::cli {

/// How much of the known chain, from the wallet's birthday up, is scanned.
struct ScanProgress {
  std::optional<chain::Height> headers;  // of the best chain known; none where no headers are stored
  std::uint64_t scanned = 0;             // blocks; those that are to be scanned again do not count
  std::uint64_t blocks = 0;
  chain::Height tip = -1;  // the highest block known
  bool complete = false;   // never while the birthday is above the tip
};
/// `headers` may be null. A wallet on a chain that is no longer the best one counts up to the last block that both have
/// in common, as far as its anchors tell.
ScanProgress scan_progress(const wallet::Wallet& wallet, const chain::HeaderStore* headers);
/// "incomplete: 3,210 of 4,108 blocks scanned; run spv sync to continue", "nothing scanned yet; run spv sync", that the
/// birthday is above the tip, in the words of the sync, or nothing to say.
std::string incomplete_text(const wallet::Wallet& wallet, const ScanProgress& progress);

/// The blocks that are to be scanned again: {"from","to"} or null.
boost::json::value rescan_json(const wallet::Wallet& wallet);

/// How many scanned blocks were filtered by one peer, how many by two, and how many came whole and can hide nothing.
boost::json::object attested_json(const wallet::Wallet& wallet);
/// The same as a line.
std::string attested_text(const wallet::Wallet& wallet);

/// Adds the time of the last scanned block, how many peers have it, rescan_json() and attested_json().
void add_standing(boost::json::object& document, const wallet::Wallet& wallet);
/// "as of block 102 (2026-11-16 02:28), reported by 2 peers"
std::string standing_text(const wallet::Wallet& wallet);

}  // namespace spv::cli
