// LoggedEvent: an event in the log of a store, which has the events of all its wallets and of the chain in one order.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "chain/types.h"
#include "util/time.h"
#include "wallet/tx_event.h"

namespace spv::store {

/// Number of an event in the log: it only grows, and nothing appears later below one that was read.
using Seq = std::int64_t;

/// The best chain has a new tip.
struct TipEvent {
  chain::BlockRef block;
  friend bool operator==(const TipEvent&, const TipEvent&) = default;
};
/// The last tip that was told is no longer on the best chain. The new tip follows as an event of its own.
struct ReorgEvent {
  chain::BlockHash from;
  chain::BlockHash to;
  chain::Height fork_height = 0;  // of the last block that both chains have
  friend bool operator==(const ReorgEvent&, const ReorgEvent&) = default;
};
/// What became of a wallet. The numbers are those of the store.
enum class WalletState : std::uint8_t {
  Added = 0,
  Synced = 1,  // scanned to the tip for the first time since it was added or rescanned
  Removed = 2,
};
inline constexpr WalletState kLastWalletState = WalletState::Removed;
/// "added", "synced", "removed".
constexpr std::string_view to_string(WalletState state) {
  switch (state) {
    case WalletState::Added:
      return "added";
    case WalletState::Synced:
      return "synced";
    case WalletState::Removed:
      break;
  }
  return "removed";
}
struct WalletEvent {
  WalletState state = WalletState::Added;
  friend bool operator==(const WalletEvent&, const WalletEvent&) = default;
};
using EventData = std::variant<wallet::TxEvent, TipEvent, ReorgEvent, WalletEvent>;

struct LoggedEvent {
  Seq seq = 0;
  std::string wallet;       // empty for tips and reorgs
  util::UnixTime time = 0;  // when it was stored
  EventData data;
};

}  // namespace spv::store
