// `spv wait`: follows the network until a transaction has its confirmations, or an address its payment.
#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/sync_run.h"
#include "cli/commands/sync_settings.h"
#include "cli/commands/wait_goal.h"
#include "cli/output/amount.h"
#include "cli/output/event_report.h"
#include "cli/output/log_file.h"
#include "cli/output/report.h"
#include "report/values.h"

namespace spv::cli {
namespace {

namespace json = boost::json;

/// Looks at the wallet only after something happened: a history may be long.
class Watch {
 public:
  Watch(const WaitGoal& goal, const wallet::Wallet& wallet) : goal_(goal), wallet_(wallet) {}

  void note_change() { changed_ = true; }
  void note_progress(const client::SyncProgress& progress) { at_rest_ = progress.at_rest; }
  /// Nothing is decided by blocks that are not all scanned yet.
  bool is_over() { return at_rest_ && (state().reached || state().conflicted); }
  const WaitState& state() {
    if (std::exchange(changed_, false)) state_ = goal_.look(wallet_);
    return state_;
  }

 private:
  const WaitGoal& goal_;
  const wallet::Wallet& wallet_;
  WaitState state_;
  bool changed_ = true;
  bool at_rest_ = false;
};

json::object tx_json(const AwaitedTx& tx) {
  return {{"txid", util::to_string(tx.txid)},
          {"amount_sat", tx.amount},
          {"height", report::or_null(tx.height)},
          {"confirmations", tx.confirmations}};
}

json::object wait_json(const WaitGoal& goal, const WaitState& state, const wallet::Wallet& wallet,
                       const std::vector<std::string>& warnings) {
  json::object out{{"reached", state.reached},
                   {"wanted_confirmations", goal.confirmations()},
                   {"warnings", json::array(warnings.begin(), warnings.end())}};
  const auto& scanned = wallet.scan().scanned_to;
  out.emplace("scanned_to", scanned.hash.is_zero() ? json::value() : json::value(scanned.height));
  if (!goal.is_address()) {
    out.emplace("txid", goal.name());
    const AwaitedTx* tx = state.found.empty() ? nullptr : &state.found.front();
    out.emplace("net_sat", tx == nullptr ? json::value() : json::value(tx->amount));
    out.emplace("height", tx == nullptr ? json::value() : report::or_null(tx->height));
    out.emplace("confirmations", tx == nullptr ? 0U : tx->confirmations);
    return out;
  }
  json::array list;
  for (const auto& tx : state.found) list.push_back(tx_json(tx));
  out.emplace("address", goal.name());
  out.emplace("received_sat", state.received);
  out.emplace("transactions", std::move(list));
  return out;
}

std::string reached_text(const WaitGoal& goal, const WaitState& state, AmountUnit unit) {
  if (goal.is_address()) return goal.name() + " received " + amount_with_unit(state.received, unit);
  const AwaitedTx& tx = state.found.front();
  if (!tx.height) return fmt::format("{} is unconfirmed", goal.name());
  return fmt::format("{} has {} confirmation{} (block {})", goal.name(), tx.confirmations,
                     tx.confirmations == 1 ? "" : "s", *tx.height);
}

RunHooks hooks_of(Watch& watch, const WaitGoal& goal, AmountUnit unit) {
  RunHooks hooks;
  hooks.on_event = [&](const client::SyncEvent& event) {
    print_warning(event);
    watch.note_change();
  };
  hooks.on_beat = [&](const client::SyncProgress& progress, util::Now) { watch.note_progress(progress); };
  hooks.is_enough = [&] { return watch.is_over(); };
  hooks.waits_for = [&watch, &goal, unit] { return goal.missing_text(watch.state(), unit); };
  return hooks;
}

}  // namespace

ExitCode run(const CommonOptions& common, const WaitOptions& options) {
  SyncOptions following = options.sync;
  following.follow = true;
  Options settings = settings_of(common, following);
  OpenWallet open = open_wallet(common, Access::Write);
  const WaitGoal goal(options, open.wallet, chain::params(common.network));
  settings.log = library_log(common);
  Watch watch(goal, open.wallet);
  SyncRun sync(common, settings, &open);
  const auto result = sync.run(hooks_of(watch, goal, common.unit));
  if (result == client::RunResult::Stopped) throw sync.interruption();
  watch.note_change();
  const WaitState& state = watch.state();
  const auto warnings = sync.summary().warnings;
  if (common.json) print_json(wait_json(goal, state, open.wallet, warnings));
  for (const auto& warning : warnings) {
    if (!common.json) print_line("warning: " + warning);
  }
  if (result == client::RunResult::TimedOut) {
    // What the wallet holds says nothing while the blocks since then are not known.
    if (!sync.reached_tip()) sync.require_end(result);
    throw CommandError(ExitCode::Network, "timeout", "timed out waiting for " + goal.missing_text(state, common.unit));
  }
  if (!state.reached) {
    throw CommandError(ExitCode::Failed, "conflicted",
                       "another transaction took the place of " + goal.name() + "; see spv tx");
  }
  if (!common.json) print_line(reached_text(goal, state, common.unit));
  return ExitCode::Done;
}

}  // namespace spv::cli
