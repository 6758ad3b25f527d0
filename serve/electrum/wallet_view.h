// WalletView: what Electrum clients may ask about one wallet, as it was at one moment. Made where the wallet is locked,
// read elsewhere without a lock.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "serve/electrum/script_history.h"
#include "wallet/wallet.h"

namespace spv::serve::electrum {

/// The watched scripts of a wallet, by key chain and index.
using WatchedScripts = std::vector<std::vector<ScriptHash>>;

struct WalletView {
  std::string name;
  std::shared_ptr<const WatchedScripts> watched;  // never null
  std::vector<wallet::Descriptor> descriptors;    // one for each key chain
  /// The whole chain was scanned for all that is watched. Until then a script without transactions may have some.
  bool is_complete = false;
  chain::Height scanned_to = -1;

  struct Entry {
    ScriptHistory history;
    Status status;
  };
  /// Scripts that transactions touch.
  std::unordered_map<ScriptHash, Entry> used;
  /// The transactions of the wallet that count, in the order of the protocol.
  std::vector<HistoryLine> lines;
  /// Their places in `lines`.
  std::unordered_map<chain::Txid, std::uint32_t> places;
};

/// `before`: an older view of the wallet, which saves work; or null.
std::shared_ptr<const WalletView> view_of(const std::string& name, const wallet::Wallet& wallet,
                                          const WalletView* before);

}  // namespace spv::serve::electrum
