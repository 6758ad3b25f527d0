// RawPeer: a blocking v1 connection to a real node, for integration tests: what it sends, byte for byte.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "p2p/message.h"
#include "p2p/message_reader.h"
#include "util/bytes.h"

namespace spv::test {

/// A message and the payload that it was decoded from.
struct Received {
  p2p::Message message;
  util::Bytes payload;
};

/// Throws std::runtime_error if the node hangs up, says nothing for the time-out, or sends what does not decode.
class RawPeer {
 public:
  static constexpr std::chrono::seconds kTimeout{20};

  /// Connects to 127.0.0.1.
  RawPeer(std::uint16_t port, const p2p::Magic& magic, std::chrono::seconds timeout = kTimeout);
  RawPeer(const RawPeer&) = delete;
  RawPeer& operator=(const RawPeer&) = delete;
  ~RawPeer();

  /// Version and verack, both ways; gives the node's version. Services 0, relay=false.
  p2p::Version shake_hands();
  void send(const p2p::Message& message);
  /// The next message of any kind.
  Received receive();
  /// Sends a ping and gives what came before its pong. Pings of the node are answered and left out, and so is
  /// what we have no name for.
  std::vector<Received> fence();
  /// True if the node hangs up within the time-out; what it sends before is dropped.
  bool hangs_up();

 private:
  void read_exactly(std::span<std::uint8_t> out);

  p2p::Magic magic_;
  int socket_;
  std::uint64_t next_nonce_ = 1;
};

}  // namespace spv::test
