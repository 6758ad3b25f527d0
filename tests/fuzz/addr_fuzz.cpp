// addr: round trip, and every address in it reads back from its text.
#include "p2p/net_address.h"
#include "tests/fuzz/payload.h"

SPV_FUZZ_TARGET(addr, input) {
  using namespace spv;
  const auto message = fuzz::check_payload("addr", input);
  if (!message) return;
  const auto& addresses = std::get<p2p::Addr>(*message).addresses;
  util::ensure(addresses.size() <= p2p::kMaxAddresses, "more addresses than a message may have");
  for (const auto& entry : addresses) {
    const auto address = p2p::to_net_address(entry.address);
    const auto again = p2p::parse_net_address(p2p::host_of(address), address.port);
    util::ensure(again == address, "an address does not read back from its text");
    util::ensure(!p2p::group_of(address).empty(), "an address without a group");
    static_cast<void>(p2p::is_public(address));
  }
}
