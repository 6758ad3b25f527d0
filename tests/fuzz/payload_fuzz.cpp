// One command's payload: whatever decodes must encode to the same bytes (security.md, R3).
#include "p2p/message.h"
#include "util/ensure.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace spv;
  const util::ByteView payload(data, size);
  const auto message = p2p::decode_payload(SPV_FUZZ_COMMAND, payload);
  if (!message) return 0;
  const auto again = p2p::encode_payload(*message);
  if (std::holds_alternative<p2p::Version>(*message)) {
    // Optional and later fields do not come back, but what was understood does.
    const auto decoded = p2p::decode_payload(SPV_FUZZ_COMMAND, again);
    util::ensure(decoded && *decoded == *message, "version changes when written and read");
    p2p::printable(std::get<p2p::Version>(*message).user_agent);
  } else {
    util::ensure(again == util::to_bytes(payload), "a payload has two forms");
  }
  return 0;
}
