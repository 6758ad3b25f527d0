#include "report/wallet_summary.h"

namespace spv::report {

std::optional<chain::Height> scanned_to(const wallet::Wallet& wallet) {
  const auto& block = wallet.scan().scanned_to;
  return block.hash.is_zero() ? std::nullopt : std::optional(block.height);
}

std::optional<chain::Height> birthday_of(const wallet::Wallet& wallet) {
  const auto& config = wallet.config();
  return config.birthday_time ? std::nullopt : std::optional(config.birthday);
}

}  // namespace spv::report
