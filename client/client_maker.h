// ClientMaker: a client whose wallets are in a given store, as Client::open() makes it and as tests do; and the way to
// what stands behind one.
#pragma once

#include <memory>
#include <spv/client.h>

#include "store/store.h"

namespace spv {

class ClientMaker {
 public:
  static Result<Client> open(Options options, std::shared_ptr<store::Store> store);
  /// What stands behind a client, see client_impl.h.
  static Client::Impl& impl(Client& client) { return *client.impl_; }
};

}  // namespace spv
