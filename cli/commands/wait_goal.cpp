#include "cli/commands/wait_goal.h"

#include <fmt/format.h>

#include "chain/params.h"
#include "cli/error.h"
#include "cli/options/amount.h"
#include "cli/options/options.h"
#include "cli/output/amount.h"
#include "cli/wallet/find_transaction.h"
#include "wallet/address.h"
#include "wallet/wallet.h"

namespace spv::cli {
namespace {

constexpr std::size_t kTxidDigits = 64;

bool is_hex(const std::string& text) { return text.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos; }

// A transaction that the wallet does not know yet needs all its digits.
chain::Txid awaited_txid(const std::string& text, const wallet::Wallet& wallet) {
  if (text.size() != kTxidDigits) return find_transaction(wallet, text).txid;
  return *util::parse_hash<chain::Txid>(text);
}

util::Bytes awaited_script(const std::string& text, const wallet::Wallet& wallet, const chain::NetworkParams& params) {
  auto script = wallet::script_of_address(text, params);
  if (!script && script.error().kind == wallet::AddressError::Kind::WrongNetwork) {
    throw CommandError(ExitCode::Failed, "wrong-network", script.error().message);
  }
  if (!script) {
    throw UsageError("'" + text + "' is neither a txid nor an address (" + script.error().message + ")");
  }
  if (!wallet.watches(*script)) {
    throw CommandError(ExitCode::Failed, "not-ours",
                       "this wallet does not watch the address " + text + "; spv addresses lists those it watches");
  }
  return std::move(*script);
}

std::optional<chain::Amount> awaited_amount(const WaitOptions& options, bool is_address) {
  if (!options.amount) return std::nullopt;
  if (!is_address) throw UsageError("--amount needs an address, not a txid");
  const auto amount = parse_amount(*options.amount);
  if (amount && *amount > 0) return amount;
  throw UsageError("invalid --amount '" + *options.amount + "': give BTC (0.001) or satoshis (100000sat)");
}

}  // namespace

WaitGoal::WaitGoal(const WaitOptions& options, const wallet::Wallet& wallet, const chain::NetworkParams& params)
    : name_(options.target), confirmations_(options.confirmations) {
  if (is_hex(options.target)) {
    const auto txid = awaited_txid(options.target, wallet);
    target_ = txid;
    name_ = util::to_string(txid);
  } else {
    target_ = awaited_script(options.target, wallet, params);
  }
  amount_ = awaited_amount(options, is_address());
}

chain::Amount WaitGoal::received_by(const wallet::Wallet& wallet, const chain::Txid& txid) const {
  const auto& script = std::get<util::Bytes>(target_);
  chain::Amount sum = 0;
  for (const auto& output : wallet.find(txid)->tx.outputs) {
    if (output.script_pubkey == script) sum += output.value;
  }
  return sum;
}

WaitState WaitGoal::look(const wallet::Wallet& wallet) const {
  WaitState state;
  const auto* txid = std::get_if<chain::Txid>(&target_);
  for (const auto& entry : wallet.history()) {
    if (txid != nullptr && entry.txid != *txid) continue;
    if (entry.set_apart == wallet::SetApart::NotSent) continue;  // nobody has it
    if (entry.status == wallet::TxStatus::Conflicted) {
      state.conflicted = state.conflicted || txid != nullptr;
      continue;
    }
    AwaitedTx found{entry.txid, entry.net, std::nullopt, entry.confirmations};
    if (entry.confirmation) found.height = entry.confirmation->block.height;
    if (txid == nullptr) found.amount = received_by(wallet, entry.txid);
    if (txid == nullptr && found.amount == 0) continue;
    state.found.push_back(found);
    if (found.confirmations >= confirmations_) state.received += found.amount;
    state.reached = state.reached || found.confirmations >= confirmations_;
  }
  if (is_address()) state.reached = state.received >= amount_.value_or(1);
  return state;
}

std::string WaitGoal::missing_text(const WaitState& state, AmountUnit unit) const {
  if (!is_address()) {
    if (state.found.empty()) return "the transaction to appear";
    return fmt::format("{} confirmation{} ({} so far)", confirmations_, confirmations_ == 1 ? "" : "s",
                       state.found.front().confirmations);
  }
  const std::string what = amount_ ? amount_with_unit(*amount_, unit) : std::string("a payment");
  const std::string depth =
      confirmations_ == 0 ? std::string()
                          : fmt::format(" with {} confirmation{}", confirmations_, confirmations_ == 1 ? "" : "s");
  return fmt::format("{}{} ({} so far)", what, depth, amount_with_unit(state.received, unit));
}

}  // namespace spv::cli
