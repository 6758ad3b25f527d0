// How messages stand in the packets of BIP324: one byte for a common command, or zero and twelve bytes for any.
#pragma once

#include "p2p/message.h"
#include "util/bytes.h"
#include "util/expected.h"

namespace spv::p2p {

/// The contents of a packet for a message.
util::Bytes encode_v2_contents(const Message& message);
/// The message of a packet; an id or command that we do not know gives Unknown.
util::Expected<Message, DecodeError> decode_v2_contents(util::ByteView contents);

}  // namespace spv::p2p
