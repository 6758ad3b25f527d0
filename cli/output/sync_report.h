// What `spv sync` prints: the summary at its end, and the events of --follow.
#pragma once

#include <string>

#include "chain/header_chain.h"
#include "net/driver.h"
#include "sync/engine/engine.h"
#include "wallet/wallet.h"

namespace spv::cli {

/// The wallet as the last sync left it.
struct WalletBefore {
  wallet::Balance balance;
  std::size_t transactions = 0;
};

struct SyncSummary {
  const chain::NetworkParams& params;
  const chain::HeaderChain& chain;
  const sync::Engine& engine;
  const wallet::Wallet& wallet;
  const net::Driver& driver;
  double seconds = 0;
  WalletBefore before;
  std::string source;  // as --source has it
};

void print_sync_summary(const SyncSummary& summary, bool json);
/// One line an event, as it happens; events that are not for the user print nothing.
void print_event(const sync::Event& event, bool json);
/// One line on stderr if the event is one that nobody may miss: a reorganisation of more than a hundred blocks, or a
/// clock that is most likely wrong.
void print_warning(const sync::Event& event);

}  // namespace spv::cli
