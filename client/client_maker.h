// ClientMaker: a client whose wallets are in a given store, as Client::open() makes it and as tests do.
#pragma once

#include <memory>
#include <spv/client.h>

#include "store/store.h"

namespace spv {

class ClientMaker {
 public:
  static Result<Client> open(Options options, std::shared_ptr<store::Store> store);
};

}  // namespace spv
