#include "serve/api/wallet_json.h"

#include <boost/json.hpp>

#include "report/balance.h"

namespace spv::serve {

namespace json = boost::json;

json::object balance_json(const Balance& balance) {
  return report::balance_json({balance.confirmed, balance.unconfirmed, balance.immature});
}

json::object wallet_json(const std::string& name, const client::WalletSummary& wallet,
                         const client::ChainSummary& chain) {
  json::object out{{"name", name}, {"watch_only", wallet.watch_only}};
  out["birthday"] = wallet.birthday ? json::value(*wallet.birthday) : nullptr;
  out["gap_limit"] = wallet.gap_limit;
  out["scripts"] = wallet.scripts;
  out["scanned_to"] = wallet.scanned_to ? json::value(*wallet.scanned_to) : nullptr;
  out["synced"] = client::is_synced(wallet, chain);
  out["balance"] = balance_json(wallet.balance);
  return out;
}

}  // namespace spv::serve
