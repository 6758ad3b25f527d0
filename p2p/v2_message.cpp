#include "p2p/v2_message.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "p2p/message_reader.h"
#include "util/ensure.h"

namespace spv::p2p {
namespace {

// BIP324's table; the place is the id. Zero stands for the long form.
constexpr std::array<std::string_view, 29> kCommands = {"",
                                                        "addr",
                                                        "block",
                                                        "blocktxn",
                                                        "cmpctblock",
                                                        "feefilter",
                                                        "filteradd",
                                                        "filterclear",
                                                        "filterload",
                                                        "getblocks",
                                                        "getblocktxn",
                                                        "getdata",
                                                        "getheaders",
                                                        "headers",
                                                        "inv",
                                                        "mempool",
                                                        "merkleblock",
                                                        "notfound",
                                                        "ping",
                                                        "pong",
                                                        "sendcmpct",
                                                        "tx",
                                                        "getcfilters",
                                                        "cfilter",
                                                        "getcfheaders",
                                                        "cfheaders",
                                                        "getcfcheckpt",
                                                        "cfcheckpt",
                                                        "addrv2"};

}  // namespace

util::Bytes encode_v2_contents(const Message& message) {
  const std::string_view command = command_of(message);
  const auto found = std::find(kCommands.begin() + 1, kCommands.end(), command);
  util::Bytes contents;
  if (found != kCommands.end()) {
    contents.push_back(static_cast<std::uint8_t>(found - kCommands.begin()));
  } else {
    util::ensure(command.size() <= kCommandBytes, "command too long");
    contents.resize(1 + kCommandBytes);
    std::copy(command.begin(), command.end(), contents.begin() + 1);
  }
  const auto payload = encode_payload(message);
  util::ensure(payload.size() <= kMaxPayloadBytes, "message larger than the protocol allows");
  contents.insert(contents.end(), payload.begin(), payload.end());
  return contents;
}

util::Expected<Message, DecodeError> decode_v2_contents(util::ByteView contents) {
  // As nodes do, what names no message is skipped, not punished.
  if (contents.empty()) return Message{Unknown{"(empty)"}};
  const std::uint8_t id = contents[0];
  if (id != 0) {
    if (id >= kCommands.size()) return Message{Unknown{"(id " + std::to_string(id) + ")", contents.size()}};
    return decode_payload(kCommands[id], contents.subspan(1));
  }
  if (contents.size() < 1 + kCommandBytes) return Message{Unknown{"(short)"}};
  const auto field = contents.subspan(1, kCommandBytes);
  const auto command = command_in(field);
  if (!command) {
    const std::string_view raw(reinterpret_cast<const char*>(field.data()), field.size());
    return Message{Unknown{printable(raw), contents.size()}};
  }
  return decode_payload(*command, contents.subspan(1 + kCommandBytes));
}

}  // namespace spv::p2p
