// version: what was understood is the same when written and read again, and its user agent is safe to print.
#include "p2p/message.h"
#include "tests/fuzz/fuzz.h"

SPV_FUZZ_TARGET(version, input) {
  using namespace spv;
  const auto message = p2p::decode_payload("version", input);
  if (!message) return;
  const auto& version = std::get<p2p::Version>(*message);
  util::ensure(version.user_agent.size() <= p2p::kMaxUserAgentBytes, "a user agent beyond its limit");
  // Optional and later fields do not come back.
  const auto again = p2p::decode_payload("version", p2p::encode_payload(*message));
  util::ensure(again && *again == *message, "version changes when written and read");
  for (const char c : p2p::printable(version.user_agent)) {
    util::ensure(c >= ' ' && c <= '~', "what is not printable is printed");
  }
}
