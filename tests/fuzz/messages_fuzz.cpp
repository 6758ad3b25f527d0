// Every command that has no target of its own, by the first byte: round trip.
#include <array>

#include "tests/fuzz/payload.h"

SPV_FUZZ_TARGET(messages, input) {
  using namespace spv;
  static constexpr std::array<std::string_view, 21> kCommands{
      "verack",      "ping",        "pong",    "sendheaders",  "getdata",    "notfound",     "filterload",
      "filterclear", "feefilter",   "mempool", "getaddr",      "sendaddrv2", "block",        "getblocktxn",
      "blocktxn",    "getcfilters", "cfilter", "getcfheaders", "cfheaders",  "getcfcheckpt", "cfcheckpt"};
  fuzz::Input rest(input);
  fuzz::check_payload(kCommands[rest.below(kCommands.size())], rest.rest());
  // A command of any name is a message or Unknown, whose name is safe to print.
  const auto name = rest.take(12);
  const std::string_view command(reinterpret_cast<const char*>(name.data()), name.size());
  const auto message = p2p::decode_payload(command, rest.rest());
  if (!message) return;
  if (const auto* unknown = std::get_if<p2p::Unknown>(&*message)) {
    for (const char c : unknown->command) util::ensure(c >= ' ' && c <= '~', "what is not printable is kept");
  }
}
