// How far a wallet is scanned and how many peers vouch for it (security.md E11); shown with every balance.
#pragma once

#include <cstdint>
#include <optional>

#include <boost/json/fwd.hpp>

#include "chain/header_store.h"
#include "wallet/wallet.h"

namespace spv::report {

/// What of a wallet says how far it is scanned.
struct Scanned {
  Scanned(const wallet::Wallet& wallet)  // NOLINT(google-explicit-constructor): a wallet is scanned this far
      : birthday(wallet.config().birthday), scan(wallet.scan()) {}
  Scanned(chain::Height from, const wallet::ScanState& state) : birthday(from), scan(state) {}

  chain::Height birthday;
  const wallet::ScanState& scan;  // outlives this
};

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
ScanProgress scan_progress(const Scanned& scanned, const chain::HeaderStore* headers);

/// How many scanned blocks were filtered by one peer, how many by two, and how many came whole and can hide nothing.
struct ScanStanding {
  std::uint64_t blocks = 0;
  std::uint64_t by_one = 0;
  std::uint64_t by_two = 0;
  std::uint64_t whole = 0;
};
ScanStanding standing_of(const Scanned& scanned);
boost::json::object attested_json(const Scanned& scanned);

/// The blocks that are to be scanned again: {"from","to"} or null.
boost::json::value rescan_json(const Scanned& scanned);

/// Adds the time of the last scanned block, how many peers have it, rescan_json() and attested_json().
void put_standing(boost::json::object& document, const Scanned& scanned);

}  // namespace spv::report
