// SyncRun: one run of a sync over one wallet, with its progress line and what is shown meanwhile; `spv sync`, `spv
// wait` and all that sends are made of it.
#pragma once

#include <functional>
#include <optional>

#include "cli/error.h"
#include "cli/options/options.h"
#include "cli/output/progress.h"
#include "cli/wallet/wallet_file.h"
#include "client/session.h"

namespace spv::cli {

/// What a command adds to a run; all of them may be left out.
struct RunHooks {
  /// Each event as it happens, after it was committed.
  std::function<void(const client::SyncEvent&)> on_event;
  /// About four times a second.
  std::function<void(const client::SyncProgress&, util::Now)> on_beat;
  /// Asked about four times a second: true ends the run.
  std::function<bool()> is_enough;
  /// What is waited for at the tip, for the progress line; none: unconfirmed transactions.
  std::function<std::string()> waits_for;
};

class SyncRun {
 public:
  /// What is referred to outlives the run. Without a wallet (null) there are errands only.
  SyncRun(const CommonOptions& common, const Options& settings, OpenWallet* open);

  /// To its end. Throws CommandError if the clock is wrong or there is no peer.
  client::RunResult run(RunHooks hooks, client::SessionErrands errands = {});

  [[nodiscard]] client::SyncSummary summary() const;
  [[nodiscard]] double seconds() const;
  /// The wallet was scanned to the tip at least once.
  [[nodiscard]] bool reached_tip() const { return reached_tip_; }
  /// Nothing but unconfirmed transactions was waited for at the end.
  [[nodiscard]] bool is_at_rest() const { return session_.progress() && session_.progress()->at_rest; }
  /// Throws for a run that a signal or the time limit ended before its work was done.
  void require_end(client::RunResult result) const;
  /// The error of a run that a signal ended.
  [[nodiscard]] CommandError interruption() const;
  /// Takes the progress line away, so that something else can be printed.
  void clear_progress() { progress_.clear(); }

 private:
  client::SessionHooks session_hooks();
  void on_event(const client::SyncEvent& event);
  void heartbeat(util::Now now);
  void remember_doubtful_peers() const;

  const CommonOptions& common_;
  const chain::NetworkParams& params_;
  const Options& settings_;
  OpenWallet* open_;
  RunHooks hooks_;
  util::Now started_;
  ProgressLine progress_;
  util::TimePoint trimmed_;
  bool reached_tip_ = false;
  std::optional<client::PeerBook> book_;
  client::Session session_;
};

}  // namespace spv::cli
