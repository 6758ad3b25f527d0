// What is known about a wallet, or not yet.
#pragma once

#include <optional>

#include "wallet/wallet.h"

namespace spv::report {

/// The height that the wallet is scanned to; nothing before the first scan.
std::optional<chain::Height> scanned_to(const wallet::Wallet& wallet);
/// The first block of the wallet; nothing while that is a date, until headers are known.
std::optional<chain::Height> birthday_of(const wallet::Wallet& wallet);

}  // namespace spv::report
