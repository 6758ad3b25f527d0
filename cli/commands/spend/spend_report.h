// A payment as people and programs see it: before it is sent, and after.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "chain/params.h"
#include "chain/transaction.h"
#include "cli/options/amount_unit.h"
#include "report/payment.h"
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

/// The wallet and the network that it is shown for.
struct SpendView {
  const wallet::Wallet& wallet;
  const chain::NetworkParams& params;
  AmountUnit unit = AmountUnit::Btc;
};

/// Recipients, amounts, fee, change and what is left, on stdout.
void print_plan(const SpendPlan& plan, const SpendView& view);
/// The same for programs; both must outlive it.
report::ShownPayment shown_payment(const SpendPlan& plan, const SpendView& view);
/// One line for people: what the network did, by what evidence, and what to do.
std::string outcome_text(const chain::Txid& txid, const report::SendOutcome& outcome);

}  // namespace spv::cli
