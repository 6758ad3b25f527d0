#include "client/hand_out_to.h"

#include <utility>

#include "client/client_impl.h"
#include "client/client_maker.h"

namespace spv::client {

// Closed and opened again, it takes the place of a wallet that has blocks to catch up on, as for a rescan.
Result<void> hand_out_to(Client& client, const std::string& wallet, const wallet::KeyId& id) {
  auto& impl = ClientMaker::impl(client);
  // What could not be committed is in the blocks that are scanned again.
  if (const auto closed = impl.syncer.remove(wallet); !closed && closed.error().code == ErrorCode::NotFound) {
    return closed;
  }
  auto done = guarded<void>([&]() -> Result<void> {
    auto open = open_wallet(impl.setup.store, wallet, store::Access::Write);
    auto changes = open.wallet.hand_out_to(id);
    if (changes.empty()) return {};
    if (changes.widened) changes.merge(open.wallet.rescan(open.wallet.config().birthday));
    commit_changes(open, std::move(changes), impl.setup.clock().wall);
    return {};
  });
  const auto opened = impl.open_again(wallet);
  return done ? opened : done;
}

}  // namespace spv::client
