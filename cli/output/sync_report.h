// What `spv sync` prints at its end.
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

}  // namespace spv::cli
