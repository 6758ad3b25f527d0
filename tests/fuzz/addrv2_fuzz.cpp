// addrv2 (BIP155): round trip; what can be dialled reads back from its text, and the rest is left alone.
#include <algorithm>

#include "p2p/net_address.h"
#include "tests/fuzz/payload.h"

SPV_FUZZ_TARGET(addrv2, input) {
  using namespace spv;
  const auto message = fuzz::check_payload("addrv2", input);
  if (!message) return;
  const auto& addresses = std::get<p2p::AddrV2>(*message).addresses;
  util::ensure(addresses.size() <= p2p::kMaxAddresses, "more addresses than a message may have");
  for (const auto& entry : addresses) {
    util::ensure(entry.address.size() <= p2p::kMaxAddressBytes, "an address beyond its limit");
    const auto address = p2p::to_net_address(entry);
    if (!address) continue;
    const auto view = address->view();
    util::ensure(std::equal(view.begin(), view.end(), entry.address.begin(), entry.address.end()), "other bytes");
    const auto again = p2p::parse_net_address(p2p::host_of(*address), address->port);
    util::ensure(again == address, "an address does not read back from its text");
  }
}
