// WalletBoard: how the open wallets and the chain stand, for readers who must not wait for a step of a sync or a
// commit. Balances are put up when what they come from is durable.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <spv/types.h>
#include <string>
#include <utility>
#include <vector>

#include "chain/types.h"
#include "util/time.h"

namespace spv::wallet {
class Wallet;
}  // namespace spv::wallet

namespace spv::client {

/// What a wallet is and how it stands.
struct WalletSummary {
  Balance balance;
  std::optional<chain::Height> scanned_to;  // nothing is owed up to this block; none before the first scan
  std::optional<chain::Height> birthday;    // none while it is a date, until the headers are known
  std::uint32_t gap_limit = 0;
  std::size_t scripts = 0;
  bool watch_only = true;
};
WalletSummary summary_of(const wallet::Wallet& wallet, bool watch_only);

/// The chain, and how far all wallets together are on it.
struct ChainSummary {
  std::optional<chain::BlockRef> tip;  // of the headers; nothing before the first
  util::UnixTime tip_time = 0;
  bool synced = false;  // every open wallet is scanned to the tip
  std::uint32_t peers = 0;
  bool running = false;
  bool store_away = false;
};

class WalletBoard {
 public:
  using Entry = std::shared_ptr<const WalletSummary>;

  void put(const std::string& name, WalletSummary summary);
  /// Only the position of a wallet that is up has changed.
  void move(const std::string& name, const wallet::Wallet& wallet);
  void remove(const std::string& name);
  void clear();
  void put(const ChainSummary& chain);

  /// Null if it is not open here.
  [[nodiscard]] Entry find(const std::string& name) const;
  /// Waits until it is open here; null if it is not in time.
  [[nodiscard]] Entry await(const std::string& name, std::chrono::milliseconds timeout);
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] ChainSummary chain() const;
  /// How many are scanned to the tip.
  [[nodiscard]] std::size_t synced() const;

 private:
  mutable std::shared_mutex mutex_;
  std::condition_variable_any came_;
  std::map<std::string, Entry, std::less<>> wallets_;
  ChainSummary chain_;
};

/// Whether a wallet that stands so is scanned to the tip.
[[nodiscard]] bool is_synced(const WalletSummary& wallet, const ChainSummary& chain);

}  // namespace spv::client
