// One connection of a peer that a test scripts, over a real socket, and how a test ends the client's run.
#pragma once

#include <array>
#include <chrono>
#include <exception>
#include <optional>
#include <poll.h>
#include <sys/socket.h>

#include "chain/params.h"
#include "p2p/message_reader.h"
#include "tests/support/fake_node.h"
#include "tests/support/loopback_server.h"

namespace spv::net {

/// Thrown by a heartbeat to end a run.
struct Done : std::exception {};

inline const p2p::Magic& magic() { return chain::params(chain::Network::Regtest).magic; }

/// One connection of a scripted peer: reads the client's messages, sends what it likes.
class ScriptedPeer {
 public:
  explicit ScriptedPeer(int socket) : socket_(socket), reader_(magic()) {}

  /// The client's next message of this kind; what comes before is dropped. Nullopt: it hung up or was silent.
  template <typename M>
  std::optional<M> receive(std::chrono::milliseconds limit = std::chrono::seconds(10)) {
    while (true) {
      auto next = reader_.next();
      if (!next) return std::nullopt;
      if (next->has_value()) {
        if (auto* message = std::get_if<M>(&**next)) return std::move(*message);
        continue;
      }
      if (!fill(limit)) return std::nullopt;
    }
  }
  bool send(util::ByteView bytes, std::size_t piece = SIZE_MAX) { return test::send_pieces(socket_, bytes, piece); }
  bool send(const p2p::Message& message) { return send(p2p::encode_frame(magic(), message)); }
  /// Both halves of the handshake; the client's version.
  std::optional<p2p::Version> shake_hands(std::uint64_t nonce = 77) {
    auto theirs = receive<p2p::Version>();
    send(version(nonce));
    send(p2p::Verack{});
    if (!receive<p2p::Verack>()) return std::nullopt;
    return theirs;
  }
  static p2p::Version version(std::uint64_t nonce) {
    p2p::Version ours;
    ours.services = test::FakeNode::kDefaultServices;
    ours.nonce = nonce;
    return ours;
  }
  /// True if the client hangs up within the limit.
  bool hung_up(std::chrono::milliseconds limit) {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (std::chrono::steady_clock::now() < end) {
      pollfd wait{socket_, POLLIN, 0};
      if (poll(&wait, 1, 50) == 0) continue;
      std::array<char, 4096> sink{};
      if (recv(socket_, sink.data(), sink.size(), 0) <= 0) return true;
    }
    return false;
  }

 private:
  bool fill(std::chrono::milliseconds limit) {
    pollfd wait{socket_, POLLIN, 0};
    if (poll(&wait, 1, static_cast<int>(limit.count())) != 1) return false;
    const auto room = reader_.prepare(65'536);
    const ssize_t got = recv(socket_, room.data(), room.size(), 0);
    if (got <= 0) return false;
    reader_.commit(static_cast<std::size_t>(got));
    return true;
  }

  int socket_;
  p2p::MessageReader reader_;
};

}  // namespace spv::net
