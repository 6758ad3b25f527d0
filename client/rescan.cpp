#include "client/rescan.h"

namespace spv::client {

util::Expected<wallet::Changes, RescanRefused> owe_rescan(wallet::Wallet& wallet, chain::Height from) {
  const chain::Height scanned = wallet.scan().scanned_to.height;
  const auto birthday = wallet.config().birthday;
  if (from < birthday) {
    return util::Unexpected{
        RescanRefused{"below-birthday", "the wallet starts at block " + std::to_string(birthday) +
                                            "; to scan earlier blocks, restore it under another name with an "
                                            "earlier --birthday"}};
  }
  if (wallet.scan().scanned_to.hash.is_zero()) {
    return util::Unexpected{
        RescanRefused{"not-scanned", "no block is scanned yet; spv sync starts at block " + std::to_string(birthday)}};
  }
  if (from > scanned) {
    return util::Unexpected{RescanRefused{"not-scanned", "only blocks up to " + std::to_string(scanned) +
                                                             " are scanned so far; spv sync continues from there"}};
  }
  return wallet.rescan(from);
}

}  // namespace spv::client
