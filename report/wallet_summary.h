// A wallet as `spv serve` lists it.
#pragma once

#include <optional>
#include <string>

#include <boost/json/fwd.hpp>

#include "wallet/wallet.h"

namespace spv::report {

/// The height that the wallet is scanned to; nothing before the first scan.
std::optional<chain::Height> scanned_to(const wallet::Wallet& wallet);
/// The first block of the wallet; nothing while that is a date, until headers are known.
std::optional<chain::Height> birthday_of(const wallet::Wallet& wallet);

struct ShownWallet {
  const std::string& name;
  const wallet::Wallet& wallet;
  bool watch_only = true;
  bool synced = false;  // scanned to the tip, and nothing is to be scanned again
};
/// {"name","watch_only","birthday","gap_limit","scripts","scanned_to","synced","balance":{…}}
boost::json::object wallet_json(const ShownWallet& shown);

}  // namespace spv::report
