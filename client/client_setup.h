// ClientSetup: what a client was opened with; nothing of it changes afterwards.
#pragma once

#include <memory>
#include <spv/client.h>

#include "chain/params.h"
#include "client/clock.h"
#include "client/data_folder.h"
#include "store/store.h"

namespace spv::client {

struct ClientSetup {
  Options options;
  const chain::NetworkParams& params;
  Clock clock;
  DataFolder folder;
  std::shared_ptr<store::Store> store;
};

}  // namespace spv::client
