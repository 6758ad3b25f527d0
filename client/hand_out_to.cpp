#include "client/hand_out_to.h"

#include <utility>

#include "client/change_closed.h"
#include "client/client_impl.h"
#include "client/client_maker.h"

namespace spv::client {

Result<void> hand_out_to(Client& client, const std::string& wallet, const wallet::KeyId& id) {
  return change_closed(client, wallet, [&](OpenWallet& open) -> Result<void> {
    auto changes = open.wallet.hand_out_to(id);
    if (changes.empty()) return {};
    if (changes.widened) changes.merge(open.wallet.rescan(open.wallet.config().birthday));
    commit_changes(open, std::move(changes), ClientMaker::impl(client).setup.clock().wall);
    return {};
  });
}

}  // namespace spv::client
