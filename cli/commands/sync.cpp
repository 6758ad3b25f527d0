// `spv sync`: brings a wallet up to date, with a summary at the end or, with --follow, events as they happen.
#include <algorithm>
#include <cmath>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/event_command.h"
#include "cli/commands/sync_run.h"
#include "cli/commands/sync_settings.h"
#include "cli/output/amount.h"
#include "cli/output/event_report.h"
#include "cli/output/log_file.h"
#include "cli/output/report.h"
#include "cli/output/stdout_file.h"
#include "cli/output/sync_report.h"

namespace spv::cli {
namespace {

/// The confirmed result, as soon as it is known, while unconfirmed transactions are waited for.
class EarlyResult {
 public:
  EarlyResult(bool wanted, const wallet::Wallet& wallet, AmountUnit unit)
      : wanted_(wanted), wallet_(wallet), unit_(unit) {}

  void show(SyncRun& run, const client::SyncProgress& progress, util::Now now) {
    if (!wanted_ || !progress.waits_until) return;
    wanted_ = false;
    run.clear_progress();
    const std::chrono::duration<double> left = *progress.waits_until - now.monotonic;
    const auto balance = wallet_.balance();
    print_line(fmt::format("confirmed balance {} at block {}",
                           amount_with_unit(balance.total() - balance.unconfirmed, unit_),
                           wallet_.scan().scanned_to.height));
    print_line(fmt::format("waiting up to {:.0f} s for unconfirmed transactions (Ctrl-C to stop)",
                           std::ceil(std::max(left.count(), 0.0))));
    flush_stdout();
  }

 private:
  bool wanted_;
  const wallet::Wallet& wallet_;
  AmountUnit unit_;
};

RunHooks one_shot_hooks(SyncRun& sync, EarlyResult& early) {
  RunHooks hooks;
  hooks.on_event = [](const client::SyncEvent& event) { print_warning(event); };
  hooks.on_beat = [&](const client::SyncProgress& progress, util::Now now) { early.show(sync, progress, now); };
  return hooks;
}

ExitCode follow(const CommonOptions& common, const std::string& exec, SyncRun& sync) {
  std::optional<EventCommand> command;
  if (!exec.empty()) command.emplace(exec, common.wallet);
  RunHooks hooks;
  hooks.on_event = [&](const client::SyncEvent& event) {
    sync.clear_progress();
    print_event(event, common.json, common.unit);
    if (command) command->push(event);
  };
  const auto result = sync.run(std::move(hooks));
  if (command) command->finish();
  // A signal or the time limit ends it as it should; but if it never was at the tip, it has done nothing yet.
  if (result == client::RunResult::TimedOut && !sync.reached_tip()) sync.require_end(result);
  return ExitCode::Done;
}

// On a network whose blocks come by themselves, a peer that hides the rest of its chain leaves the wallet behind.
void check_peers(const chain::NetworkParams& params, const client::SyncSummary& summary) {
  if (!summary.all_peers_doubtful || params.stale_tip_seconds == 0) return;
  throw CommandError(ExitCode::Network, "no-serving-peers",
                     fmt::format("every peer claims more blocks than it serves, so the wallet may be behind; synced "
                                 "only to block {}, try other peers",
                                 summary.tip.height));
}

}  // namespace

ExitCode run(const CommonOptions& common, const SyncOptions& options) {
  if (!options.exec.empty() && !options.follow) throw UsageError("--exec needs --follow");
  Options settings = settings_of(common, options);
  OpenWallet open = open_wallet(common, Access::Write);
  settings.log = library_log(common);
  const wallet::HistorySnapshot before(open.wallet.history());
  const bool first = open.wallet.scan().scanned_to.hash.is_zero();
  SyncRun sync(common, settings, &open);
  if (options.follow) return follow(common, options.exec, sync);
  EarlyResult early(!common.json, open.wallet, common.unit);
  const auto result = sync.run(one_shot_hooks(sync, early));
  if (!sync.is_at_rest()) sync.require_end(result);
  const auto summary = sync.summary();
  const auto& params = chain::params(common.network);
  const report::ShownSync shown{params, summary, open.wallet, sync.seconds(), before, options.source};
  if (common.json) {
    print_json(sync_json(shown));
  } else {
    print_sync_summary(shown, common.unit, first);
  }
  check_peers(params, summary);
  return ExitCode::Done;
}

}  // namespace spv::cli
