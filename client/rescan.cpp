#include "client/rescan.h"

#include <algorithm>

namespace spv::client {

util::Expected<wallet::Changes, RescanRefused> owe_rescan(wallet::Wallet& wallet, chain::Height from) {
  wallet::ScanState scan = wallet.scan();
  const auto birthday = wallet.config().birthday;
  if (from < birthday) {
    return util::Unexpected{
        RescanRefused{"below-birthday", "the wallet starts at block " + std::to_string(birthday) +
                                            "; to scan earlier blocks, restore it under another name with an "
                                            "earlier --birthday"}};
  }
  if (from > scan.scanned_to.height) {
    return util::Unexpected{RescanRefused{"not-scanned", "only blocks up to " + std::to_string(scan.scanned_to.height) +
                                                             " are scanned so far; spv sync continues from there"}};
  }
  const chain::Height first = scan.backfill ? std::min(scan.backfill->from, from) : from;
  scan.backfill = wallet::HeightRange{first, scan.scanned_to.height};
  scan.attested.forget(first, scan.scanned_to.height);
  return wallet.set_scan(std::move(scan));
}

}  // namespace spv::client
