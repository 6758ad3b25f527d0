// ClientSetup: what a client was opened with; nothing of it changes afterwards.
#pragma once

#include <functional>
#include <memory>
#include <spv/client.h>

#include "chain/params.h"
#include "client/clock.h"
#include "client/data_folder.h"
#include "client/wallet_board.h"
#include "store/store.h"

namespace spv::client {

struct ClientSetup {
  Options options;
  const chain::NetworkParams& params;
  Clock clock;
  DataFolder folder;
  std::shared_ptr<store::Store> store;
  /// Always there.
  std::shared_ptr<WalletBoard> board = std::make_shared<WalletBoard>();
  /// How long a commit took, if somebody wants to know; set before anything runs.
  std::function<void(util::Duration)> on_commit = {};
};

}  // namespace spv::client
