// A payment as people and programs see it: before it is sent, and after.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <boost/json/fwd.hpp>

#include "chain/params.h"
#include "chain/transaction.h"
#include "cli/options/amount_unit.h"
#include "wallet/spend/draft.h"
#include "wallet/wallet.h"

namespace spv::cli {

/// A transaction that is about to be signed, and what it stands for.
struct SpendPlan {
  wallet::spend::Draft draft;
  std::optional<chain::Txid> replaces = std::nullopt;
  std::vector<chain::Txid> also_replaces = {};
  std::optional<std::string> label = std::nullopt;
  std::optional<util::Bytes> change_script = std::nullopt;  // that the user named
  std::vector<std::string> notes = {};                      // a sentence each
};

/// What the network did with it.
struct SpendOutcome {
  std::string state = "not-sent";  // accepted, fetched, uncertain or not-sent
  std::size_t peers_accepted = 0;
};

/// The wallet and the network that it is shown for.
struct SpendView {
  const wallet::Wallet& wallet;
  const chain::NetworkParams& params;
  AmountUnit unit = AmountUnit::Btc;
};

/// Recipients, amounts, fee, change and what is left, on stdout.
void print_plan(const SpendPlan& plan, const SpendView& view);
boost::json::object plan_json(const SpendPlan& plan, const SpendView& view);
/// Adds txid, hex and what became of it.
boost::json::object outcome_json(const SpendPlan& plan, const SpendView& view, const chain::Transaction& tx,
                                 const SpendOutcome& outcome);
/// One line for people: what the network did, by what evidence, and what to do.
std::string outcome_text(const chain::Txid& txid, const SpendOutcome& outcome);

/// Satoshis per virtual byte.
double fee_rate_of(chain::Amount fee, std::int64_t vsize);

}  // namespace spv::cli
