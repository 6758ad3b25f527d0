#include "cli/commands/sync_run.h"

#include <algorithm>
#include <csignal>
#include <malloc.h>

#include <fmt/format.h>

#include "cli/error.h"
#include "cli/output/report.h"
#include "client/clock.h"
#include "client/peer_address.h"
#include "client/settings.h"
#include "store/store_error.h"

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

std::string timeout_message(const client::SyncSummary& sync, const OpenWallet* open) {
  if (sync.peers.empty()) {
    return "timed out: no peer answered; check --connect, --network and your internet connection";
  }
  if (open == nullptr) return "timed out";
  return fmt::format("timed out at block {} of {}; progress saved, run spv sync to continue",
                     std::max(0, open->wallet.scan().scanned_to.height), sync.tip.height);
}

/// Headers that serve no wallet begin as late as possible.
store::HeaderBase base_of(const chain::NetworkParams& params, const OpenWallet* open, util::Now now) {
  if (open != nullptr) return client::header_base(params, open->wallet.config());
  wallet::WalletConfig newborn;
  newborn.birthday_time = now.wall;
  return client::header_base(params, newborn);
}

}  // namespace

SyncRun::SyncRun(const CommonOptions& common, const Options& settings, OpenWallet* open)
    : common_(common),
      params_(chain::params(common.network)),
      settings_(settings),
      open_(open),
      started_(client::read_clock()),
      progress_(common.json, started_),
      trimmed_(started_.monotonic),
      session_(base_of(params_, open, started_)) {
  if (settings.peers.empty()) {
    book_.emplace(peers_path(common), params_, client::log_of(settings), started_.monotonic);
  }
  if (open != nullptr) session_.add(1, open->wallet);
}

client::RunResult SyncRun::run(RunHooks hooks, client::SessionErrands errands) {
  hooks_ = std::move(hooks);
  client::SessionSetup setup{params_, settings_, headers_path(common_), book_ ? &*book_ : nullptr};
  setup.errands = std::move(errands);
  session_.open_headers(setup);
  check_clock(session_, started_);
  const auto result = session_.run(setup, session_hooks());
  progress_.clear();
  if (book_) {
    book_->save();
  } else {
    remember_doubtful_peers();
  }
  if (const auto failure = session_.failure()) {
    throw CommandError(ExitCode::Network, failure->code, failure->message);
  }
  // What a sync leaves uncommitted would be counted, but is not in the file.
  if (open_ != nullptr && session_.take_changes().empty()) client::keep_balance(*open_);
  return result;
}

client::SyncSummary SyncRun::summary() const { return session_.summary(client::read_clock().wall); }

double SyncRun::seconds() const {
  return std::chrono::duration<double>(client::read_clock().monotonic - started_.monotonic).count();
}

void SyncRun::require_end(client::RunResult result) const {
  if (result == client::RunResult::Stopped) throw interruption();
  if (result != client::RunResult::TimedOut) return;
  throw CommandError(ExitCode::Network, "timeout", timeout_message(summary(), open_));
}

CommandError SyncRun::interruption() const {
  const bool terminated = session_.stopped_by() == SIGTERM;
  return {terminated ? ExitCode::Terminated : ExitCode::Interrupted, "interrupted", "interrupted; progress saved"};
}

client::SessionHooks SyncRun::session_hooks() {
  client::SessionHooks out;
  out.commit = [this](const std::vector<client::MemberChanges>& changes) {
    const auto commit = session_.at_rest() ? client::commit_with_balance : client::commit_changes;
    for (const auto& each : changes) commit(*open_, each.changes, client::read_clock().wall);
  };
  out.notify = [this](const client::SyncEvent& event) { on_event(event); };
  out.heartbeat = [this] { heartbeat(client::read_clock()); };
  out.is_enough = hooks_.is_enough;
  return out;
}

void SyncRun::on_event(const client::SyncEvent& event) {
  const auto* finished = std::get_if<client::SyncFinished>(&event);
  if (finished != nullptr && !finished->failed) reached_tip_ = true;
  if (hooks_.on_event) hooks_.on_event(event);
}

void SyncRun::heartbeat(util::Now now) {
  const auto progress = *session_.progress();
  reached_tip_ = reached_tip_ || progress.at_rest;
  if (hooks_.on_beat) hooks_.on_beat(progress, now);
  progress_.update(progress, now, hooks_.waits_for ? hooks_.waits_for() : std::string());
  if (now.monotonic >= trimmed_ + kTrimInterval) {
    give_back_memory();
    trimmed_ = now.monotonic;
  }
  if (book_) book_->save_if_due(now.monotonic);
}

// So that `spv peers` shows a node that the user named and that is on another chain; it is never dialled for that.
void SyncRun::remember_doubtful_peers() const {
  for (const auto& peer : summary().peers) {
    if (peer.doubt.empty()) continue;
    const auto parsed = client::parse_peer_address(peer.address, params_.default_port);
    const auto address = parsed ? p2p::parse_net_address(parsed->host, parsed->port) : std::nullopt;
    if (!address) continue;
    try {
      store::AddressBookFile file(peers_path(common_), params_.magic);
      util::Rng rng(client::system_entropy());
      const auto now = client::read_clock().wall;
      if (file.book.find(*address) == nullptr) {
        file.book.add(*address, 0, p2p::Origin::User, "", now, rng);
        file.book.note_unfit(*address, peer.doubt, now);
      } else {
        file.book.note_doubt(*address, peer.doubt);
      }
      file.save();
    } catch (const store::StoreError&) {
      return;  // the summary names it too
    }
  }
}

}  // namespace spv::cli
