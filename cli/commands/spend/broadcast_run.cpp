#include "cli/commands/spend/broadcast_run.h"

#include "cli/commands/sync_run.h"
#include "cli/commands/sync_settings.h"
#include "cli/output/event_report.h"
#include "cli/output/log_file.h"
#include "cli/output/report.h"
#include "cli/output/stdout_file.h"
#include "client/clock.h"
#include "store/store_error.h"

namespace spv::cli {
namespace {

using client::BroadcastChanged;
using client::BroadcastState;

Options settings_for(const CommonOptions& common, const SyncOptions& sync) {
  Options settings = settings_of(common, sync);
  settings.mempool_wait = std::chrono::milliseconds(0);
  settings.follow = false;
  settings.log = library_log(common);
  return settings;
}

wallet::SendState send_state(BroadcastState state) {
  const auto name = report::outcome_state(state);
  if (name == "accepted") return wallet::SendState::Accepted;
  return name == "fetched" ? wallet::SendState::Fetched : wallet::SendState::Uncertain;
}

/// A signal ends the command as always; after all else the outcome says what is known.
void report(const CommandError& trouble, bool stored) {
  const bool by_signal = trouble.exit_code() == ExitCode::Interrupted || trouble.exit_code() == ExitCode::Terminated;
  if (!by_signal) return print_note(trouble.what());
  throw CommandError(trouble.exit_code(), trouble.code(),
                     stored ? "interrupted; the transaction is stored and announced at the next spv sync"
                            : "interrupted; the transaction may have been sent");
}

}  // namespace

client::FeesKnown ask_fees(const CommonOptions& common, const SyncOptions& sync, OpenWallet* open) {
  const Options settings = settings_for(common, sync);
  SyncRun run(common, settings, open);
  client::FeesKnown fees;
  RunHooks hooks;
  hooks.on_event = [&](const client::SyncEvent& event) {
    print_warning(event);
    if (const auto* known = std::get_if<client::FeesKnown>(&event)) fees = *known;
  };
  run.require_end(run.run(std::move(hooks), {.fees = true, .scan = open != nullptr}));
  return fees;
}

report::SendOutcome broadcast(const CommonOptions& common, const SyncOptions& sync, OpenWallet* open,
                              const chain::Transaction& tx) {
  const Options settings = settings_for(common, sync);
  BroadcastChanged last;
  last.txid = tx.txid();
  last.state = BroadcastState::Uncertain;
  RunHooks hooks;
  hooks.on_event = [&](const client::SyncEvent& event) {
    print_warning(event);
    if (const auto* changed = std::get_if<BroadcastChanged>(&event); changed != nullptr && changed->txid == last.txid) {
      last = *changed;
    }
  };
  hooks.is_enough = [&] { return last.final; };
  hooks.waits_for = [] { return std::string("peers to announce the transaction"); };
  std::optional<CommandError> trouble;
  try {
    SyncRun run(common, settings, open);
    run.require_end(run.run(std::move(hooks), {.broadcasts = {tx}, .scan = false}));
  } catch (const CommandError& error) {
    trouble = error;
  } catch (const store::StoreError& error) {  // of the headers or the address book: the transaction is stored
    trouble.emplace(ExitCode::Failed, "failed", error.what());
  }
  if (open != nullptr) {
    const auto accepted = static_cast<std::uint32_t>(last.peers_accepted);
    client::commit_changes(*open, open->wallet.set_send_state(last.txid, send_state(last.state), accepted),
                           client::read_clock().wall);
  }
  if (trouble) report(*trouble, open != nullptr);
  return {.state = std::string(report::outcome_state(last.state)), .peers_accepted = last.peers_accepted};
}

}  // namespace spv::cli
