// Transport: bytes of one connection in, messages out, and back. The driver moves bytes and does not care which
// protocol they are in: v1 (plain frames) or v2 (BIP324).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "p2p/message.h"
#include "util/bytes.h"
#include "util/expected.h"

namespace spv::p2p {

class Transport {
 public:
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport() = default;

  /// Room for `size` bytes to read into; void after any other call.
  virtual std::span<std::uint8_t> prepare(std::size_t size) = 0;
  /// The first `size` bytes of the room are filled.
  virtual void commit(std::size_t size) = 0;
  /// The next message; nullopt: needs more bytes. After an error it stays in error: close the connection. Look
  /// for output afterwards, since what came may have let a handshake go on.
  virtual util::Expected<std::optional<Message>, DecodeError> next() = 0;

  /// Queues a message; its bytes come out as soon as the transport's own handshake allows.
  virtual void send(const Message& message) = 0;
  /// Bytes to write now, in order; the first of them right after construction.
  virtual util::Bytes take_output() = 0;

  /// Bytes taken from the stream so far, in whole frames or packets.
  [[nodiscard]] virtual std::uint64_t bytes_consumed() const = 0;
  /// True if the start of a frame is here and its end is not: a deadline of the driver's runs.
  [[nodiscard]] virtual bool mid_frame() const = 0;
  /// True if a hang-up now means that the peer does not know this protocol: connect anew with v1.
  [[nodiscard]] virtual bool suggests_v1() const = 0;
  /// "v1" or "v2".
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// v2 only, once the keys are known.
  [[nodiscard]] virtual std::optional<std::array<std::uint8_t, 32>> session_id() const = 0;
};

}  // namespace spv::p2p
