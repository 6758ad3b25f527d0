#include "report/wallet_summary.h"

#include <boost/json.hpp>

#include "report/balance.h"
#include "report/values.h"

namespace spv::report {

std::optional<chain::Height> scanned_to(const wallet::Wallet& wallet) {
  const auto& block = wallet.scan().scanned_to;
  return block.hash.is_zero() ? std::nullopt : std::optional(block.height);
}

std::optional<chain::Height> birthday_of(const wallet::Wallet& wallet) {
  const auto& config = wallet.config();
  return config.birthday_time ? std::nullopt : std::optional(config.birthday);
}

boost::json::object wallet_json(const ShownWallet& shown) {
  return {{"name", shown.name},
          {"watch_only", shown.watch_only},
          {"birthday", or_null(birthday_of(shown.wallet))},
          {"gap_limit", shown.wallet.config().gap_limit},
          {"scripts", shown.wallet.script_count()},
          {"scanned_to", or_null(scanned_to(shown.wallet))},
          {"synced", shown.synced},
          {"balance", balance_json(shown.wallet.balance())}};
}

}  // namespace spv::report
