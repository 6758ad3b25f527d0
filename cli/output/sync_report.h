// What `spv sync` prints at its end.
#pragma once

#include <string>

#include "wallet/records.h"

namespace spv::chain {
class HeaderChain;
struct NetworkParams;
}  // namespace spv::chain
namespace spv::net {
class Driver;
}
namespace spv::sync {
class Engine;
}
namespace spv::wallet {
class Wallet;
}

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
