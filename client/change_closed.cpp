#include "client/change_closed.h"

#include <mutex>

#include "client/client_impl.h"
#include "client/client_maker.h"

namespace spv::client {

Result<void> change_closed(Client& client, const std::string& wallet,
                           const std::function<Result<void>(OpenWallet&)>& change) {
  auto& impl = ClientMaker::impl(client);
  Result<void> changed;
  {
    const std::lock_guard alone(impl.names_mutex);  // or whoever follows all wallets opens it in between
    const auto closed = impl.syncer.remove(wallet);
    if (!closed && closed.error().code == ErrorCode::NotFound) return closed;
    changed = guarded<void>([&]() -> Result<void> {
      auto open = open_wallet(impl.setup.store, wallet, store::Access::Write);
      return change(open);
    });
  }
  const auto opened = impl.open_again(wallet);
  return changed ? opened : changed;
}

}  // namespace spv::client
