// v1 framing (magic, command, length, checksum): whole frames out, and a reader that cuts messages from a stream.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "p2p/message.h"
#include "util/bytes.h"
#include "util/expected.h"

namespace spv::p2p {

using Magic = std::array<std::uint8_t, 4>;
inline constexpr std::size_t kFrameHeaderBytes = 24;

/// A whole frame: header and payload.
util::Bytes encode_frame(const Magic& magic, const Message& message);

/// Feed it bytes as they come, take messages until it gives none. After an error it stays in error: the stream
/// has lost its frames and the connection must be closed. Holds at most one frame and what was last fed.
class MessageReader {
 public:
  explicit MessageReader(const Magic& magic) : magic_(magic) {}

  void feed(util::ByteView bytes);
  /// nullopt: needs more bytes.
  util::Expected<std::optional<Message>, DecodeError> next();

 private:
  Magic magic_;
  util::Bytes buffer_;
  std::size_t consumed_ = 0;
  std::optional<DecodeError> failed_;
};

}  // namespace spv::p2p
