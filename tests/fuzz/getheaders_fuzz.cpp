// getheaders: round trip, within the limit of the locator.
#include "tests/fuzz/payload.h"

SPV_FUZZ_TARGET(getheaders, input) {
  using namespace spv;
  const auto message = fuzz::check_payload("getheaders", input);
  if (!message) return;
  util::ensure(std::get<p2p::GetHeaders>(*message).locator.size() <= p2p::kMaxLocator, "a locator beyond its limit");
}
