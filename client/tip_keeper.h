// The tip keeper: a wallet that watches nothing. With it a session follows the chain while no wallet is open, so that
// its height is known, transactions can be sent, and the first wallet finds peers at hand.
#pragma once

#include "chain/params.h"
#include "sync/watch/wallet_group.h"
#include "util/time.h"
#include "wallet/wallet.h"

namespace spv::client {

/// Open wallets count from 1.
inline constexpr sync::MemberId kTipKeeper = 0;

/// It begins now: there is nothing to find in blocks before.
inline wallet::Wallet make_tip_keeper(const chain::NetworkParams& params, util::UnixTime now) {
  wallet::WalletConfig config;
  config.network = params.network;
  config.birthday_time = now;
  auto state = wallet::Wallet::fresh_state(config);
  return {std::move(config), std::move(state)};
}

}  // namespace spv::client
