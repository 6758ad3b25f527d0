// `spv sync`: a session for one wallet, with its progress, its events and a summary.
#include <algorithm>
#include <malloc.h>
#include <optional>

#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/sync_settings.h"
#include "cli/output/event_report.h"
#include "cli/output/log_file.h"
#include "cli/output/progress.h"
#include "cli/output/report.h"
#include "cli/output/sync_report.h"
#include "cli/wallet/wallet_file.h"
#include "client/clock.h"
#include "client/session.h"
#include "client/settings.h"

namespace spv::cli {
namespace {

/// How often a program that runs for days gives back what a rescan or a flood has taken.
constexpr util::Duration kTrimInterval = std::chrono::minutes(1);

// glibc keeps what is freed below anything that lives on.
void give_back_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

void check_clock(const client::Session& session, util::Now now) {
  const auto behind = session.clock_behind(now.wall);
  if (!behind) return;
  throw CommandError(ExitCode::Failed, "clock",
                     fmt::format("the clock says {}, but block {} is from {}; set the clock right and try again",
                                 local_time(behind->clock), behind->height, local_time(behind->block_time)));
}

std::string timeout_message(const client::SyncSummary& sync, const wallet::Wallet& wallet) {
  if (sync.peers.empty()) {
    return "the time is up and no node has answered; check --connect, the network's name and your connection";
  }
  return fmt::format("the time is up at block {} of {}; all of it is saved, run spv sync again to go on",
                     std::max(0, wallet.scan().scanned_to.height), sync.tip.height);
}

/// The work of one run, and what is shown meanwhile.
class SyncRun {
 public:
  SyncRun(const CommonOptions& common, const Options& settings, OpenWallet& open)
      : common_(common),
        params_(chain::params(common.network)),
        settings_(settings),
        open_(open),
        started_(client::read_clock()),
        progress_(common.json, started_),
        trimmed_(started_.monotonic),
        session_(client::header_base(params_, open.wallet.config())) {
    if (settings.peers.empty()) {
      book_.emplace(peers_path(common), params_, client::log_of(settings), started_.monotonic);
    }
    session_.add(1, open.wallet);
  }

  client::RunResult run() {
    const client::SessionSetup setup{params_, settings_, headers_path(common_), book_ ? &*book_ : nullptr};
    session_.open_headers(setup);
    check_clock(session_, started_);
    const auto result = session_.run(setup, hooks());
    progress_.clear();
    if (book_) book_->save();
    return result;
  }

  [[nodiscard]] const client::Session& session() const { return session_; }
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(client::read_clock().monotonic - started_.monotonic).count();
  }

 private:
  client::SessionHooks hooks() {
    client::SessionHooks out;
    out.commit = [this](const std::vector<client::MemberChanges>& changes) {
      for (const auto& each : changes) open_.file.commit(each.changes);
    };
    out.notify = [this](const client::SyncEvent& event) {
      if (!settings_.follow) return print_warning(event);
      progress_.clear();
      print_event(event, common_.json, common_.unit);
    };
    out.heartbeat = [this] { heartbeat(client::read_clock()); };
    return out;
  }

  void heartbeat(util::Now now) {
    progress_.update(*session_.progress(), now);
    if (now.monotonic >= trimmed_ + kTrimInterval) {
      give_back_memory();
      trimmed_ = now.monotonic;
    }
    if (book_) book_->save_if_due(now.monotonic);
  }

  const CommonOptions& common_;
  const chain::NetworkParams& params_;
  const Options& settings_;
  OpenWallet& open_;
  util::Now started_;
  ProgressLine progress_;
  util::TimePoint trimmed_;
  std::optional<client::PeerBook> book_;
  client::Session session_;
};

}  // namespace

ExitCode run(const CommonOptions& common, const SyncOptions& options) {
  Options settings = settings_of(common, options);
  OpenWallet open = open_wallet(common, Access::Write);
  settings.log = [log = open_log(common)](int level, std::string_view text) {
    log(static_cast<util::LogLevel>(level), text);
  };
  const wallet::HistorySnapshot before(open.wallet.history());
  SyncRun sync(common, settings, open);
  const auto result = sync.run();
  if (const auto failure = sync.session().failure()) {
    throw CommandError(ExitCode::Network, failure->code, failure->message);
  }
  const auto summary = sync.session().summary();
  if (result == client::RunResult::TimedOut) {
    throw CommandError(ExitCode::Network, "timeout", timeout_message(summary, open.wallet));
  }
  if (result == client::RunResult::Stopped && !options.follow) {
    throw CommandError(ExitCode::Failed, "interrupted", "interrupted; what was verified is saved");
  }
  if (options.follow) return ExitCode::Done;
  print_sync_summary(
      {chain::params(common.network), summary, open.wallet, sync.seconds(), before, options.source, common.unit},
      common.json);
  return ExitCode::Done;
}

}  // namespace spv::cli
