// What holds for every payload: what decodes is written back byte for byte (security.md, R3).
#pragma once

#include <string_view>

#include "p2p/message.h"
#include "tests/fuzz/fuzz.h"

namespace spv::fuzz {

/// The message of a payload, if it is one.
inline std::optional<p2p::Message> check_payload(std::string_view command, util::ByteView payload) {
  auto message = p2p::decode_payload(command, payload);
  if (!message) return std::nullopt;
  // Nobody sends us filters: a bad one is no reason to leave a peer.
  if (command == "filterload" && std::holds_alternative<p2p::Unknown>(*message)) return std::nullopt;
  util::ensure(p2p::command_of(*message) == command, "a payload becomes a message of its command");
  util::ensure(p2p::encode_payload(*message) == util::to_bytes(payload), "a payload has two forms");
  return std::move(*message);
}

}  // namespace spv::fuzz
