// v1 framing (magic, command, length, checksum): whole frames out, and a reader that cuts messages from a stream.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "p2p/message.h"
#include "p2p/receive_buffer.h"
#include "util/bytes.h"
#include "util/expected.h"

namespace spv::p2p {

using Magic = std::array<std::uint8_t, 4>;
inline constexpr std::size_t kFrameHeaderBytes = 24;
inline constexpr std::size_t kCommandBytes = 12;

/// A whole frame: header and payload.
util::Bytes encode_frame(const Magic& magic, const Message& message);

/// The command of a 12-byte field, printable; nullopt if it is empty, not printable, or has bytes behind its end.
std::optional<std::string_view> command_in(util::ByteView field);

/// Feed it bytes as they come, take messages until it gives none. After an error it stays in error: the stream
/// has lost its frames and the connection must be closed. Holds at most one frame and what was last fed.
class MessageReader {
 public:
  explicit MessageReader(const Magic& magic) : magic_(magic) {}

  void feed(util::ByteView bytes) { buffer_.append(bytes); }
  /// Room for `size` bytes to read into, so that the socket needs no buffer of its own; void after any other call.
  std::span<std::uint8_t> prepare(std::size_t size) { return buffer_.prepare(size); }
  /// The first `size` bytes of the room are filled.
  void commit(std::size_t size) { buffer_.commit(size); }

  /// nullopt: needs more bytes.
  util::Expected<std::optional<Message>, DecodeError> next();

  /// Bytes of all whole frames taken so far.
  [[nodiscard]] std::uint64_t bytes_consumed() const { return consumed_; }
  /// True if the start of a frame is here and its end is not.
  [[nodiscard]] bool mid_frame() const { return !buffer_.view().empty(); }

 private:
  struct Frame;
  util::Expected<std::optional<Frame>, DecodeError> cut() const;
  util::Expected<std::optional<Message>, DecodeError> fail(DecodeError error);

  Magic magic_;
  ReceiveBuffer buffer_;
  std::uint64_t consumed_ = 0;
  std::optional<DecodeError> failed_;
};

}  // namespace spv::p2p
