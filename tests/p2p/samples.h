// One message of every kind, and frames with chosen faults, for the tests of this folder.
#pragma once

#include <string_view>
#include <vector>

#include "p2p/message.h"
#include "p2p/message_reader.h"
#include "util/bytes.h"

namespace spv::p2p::test {

inline constexpr Magic kMagic = {0xFA, 0xBF, 0xB5, 0xDA};

/// Bytes of a hex literal.
util::Bytes hex(std::string_view text);
/// A peer's version that passes every check of a session.
Version peer_version(std::uint64_t nonce = 77);
/// A transaction with one input and one output.
chain::Transaction payment();
/// One message of each kind that we know.
std::vector<Message> all_messages();
/// A frame of any command and payload, with the right checksum.
util::Bytes raw_frame(std::string_view command, util::ByteView payload);
/// Feeds everything at once and takes all messages; the error, if any, ends the list.
struct Outcome {
  std::vector<Message> messages;
  std::optional<DecodeError> error;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};
/// The message with all that it views, so that it outlives the buffer it came from.
Message kept(Message message);
Outcome read_all(MessageReader& reader);
Outcome read_stream(util::ByteView bytes);

}  // namespace spv::p2p::test
