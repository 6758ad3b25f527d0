// What `spv set` and `spv watch --add` have in common: a wallet that watches more from now on.
#pragma once

#include <cstdint>
#include <optional>

#include "cli/wallet/wallet_file.h"
#include "client/wallet_growth.h"

namespace spv::cli {

/// Throws CommandError if a gap limit is below that of the wallet.
void require_not_lower(std::uint32_t gap_limit, const wallet::WalletConfig& config);
/// Grows the file; gives the blocks that the next sync scans again.
std::optional<wallet::HeightRange> grow(OpenWallet& open, const client::Growth& growth);
/// Says which blocks these are.
void print_owed(const std::optional<wallet::HeightRange>& owed);

}  // namespace spv::cli
