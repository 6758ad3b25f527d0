// What `spv sync` prints at its end.
#pragma once

#include <string>

#include "wallet/records.h"

namespace spv::chain {
struct NetworkParams;
}
namespace spv::client {
struct SyncSummary;
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

/// What came of a sync, and the wallet after it.
struct SyncReport {
  const chain::NetworkParams& params;
  const client::SyncSummary& sync;
  const wallet::Wallet& wallet;
  double seconds = 0;
  WalletBefore before;
  std::string source;  // as --source has it
};

void print_sync_summary(const SyncReport& report, bool json);

}  // namespace spv::cli
