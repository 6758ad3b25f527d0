// A payment before it is sent and after, and what the network did with it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/fwd.hpp>

#include "chain/params.h"
#include "chain/transaction.h"
#include "client/sync_values.h"
#include "wallet/spend/draft.h"
#include "wallet/wallet.h"

namespace spv::report {

/// A payment that is made but perhaps not signed, and the wallet that pays.
struct ShownPayment {
  const wallet::spend::Draft& draft;
  const wallet::Wallet& wallet;
  const chain::NetworkParams& params;
  std::optional<chain::Txid> replaces = std::nullopt;
  std::vector<chain::Txid> also_replaces = {};
  std::vector<std::string> notes = {};  // a sentence each
};

/// What the network did with it.
struct SendOutcome {
  std::string state = "not-sent";  // accepted, fetched, uncertain or not-sent
  std::size_t peers_accepted = 0;
};
/// "accepted", "fetched" or "uncertain": what is known, as the state of an outcome.
std::string_view outcome_state(client::BroadcastState state);

/// {"psbt","fee_sat","fee_rate","inputs":[…],"outputs":[…],"change"}; "change" is the output {"vout","address",
/// "amount_sat","path"} or null. `psbt` is base64.
boost::json::object draft_json(const ShownPayment& payment, const std::string& psbt);
/// The document of `spv send`: txid, hex, the payment and what became of it.
boost::json::object outcome_json(const ShownPayment& payment, const chain::Transaction& tx, const SendOutcome& outcome);
/// {"txid","state","peers_accepted"}
boost::json::object broadcast_json(const chain::Txid& txid, const SendOutcome& outcome);

/// Satoshis per virtual byte.
double fee_rate_of(chain::Amount fee, std::int64_t vsize);

}  // namespace spv::report
