#include "tests/support/loopback_server.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "chain/params.h"
#include "p2p/message_reader.h"
#include "tests/support/fake_peer.h"
#include "util/ensure.h"

namespace spv::test {
namespace {

// The server must end when the test does, so nothing here waits for ever.
bool readable(int socket) {
  pollfd poll_for{.fd = socket, .events = POLLIN, .revents = 0};
  return poll(&poll_for, 1, 20'000) == 1;
}

}  // namespace

bool send_pieces(int socket, util::ByteView bytes, std::size_t piece) {
  while (!bytes.empty()) {
    const auto size = std::min(piece, bytes.size());
    const ssize_t sent = send(socket, bytes.data(), size, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
  return true;
}

void reset_on_close(int socket) {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  setsockopt(socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

LoopbackServer::LoopbackServer(Serve serve, std::uint16_t port)
    : serve_(std::move(serve)), listener_(socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  const int on = 1;
  setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  socklen_t size = sizeof address;
  auto* raw = reinterpret_cast<sockaddr*>(&address);
  util::ensure(bind(listener_, raw, size) == 0 && listen(listener_, 8) == 0, "cannot listen on loopback");
  util::ensure(getsockname(listener_, raw, &size) == 0, "no port");
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { accept_all(); });
}

LoopbackServer::~LoopbackServer() {
  stopping_ = true;
  shutdown(listener_, SHUT_RDWR);
  {
    const std::lock_guard lock(mutex_);
    if (current_ >= 0) shutdown(current_, SHUT_RDWR);
  }
  thread_.join();
  close(listener_);
}

void LoopbackServer::accept_all() {
  while (!stopping_) {
    const int connection = accept(listener_, nullptr, nullptr);
    if (connection < 0) continue;
    ++connections_;
    set_current(connection);
    if (!stopping_) serve_(connection);
    set_current(-1);
    close(connection);
  }
}

void LoopbackServer::set_current(int connection) {
  const std::lock_guard lock(mutex_);
  current_ = connection;
}

LoopbackServer::Serve serve_node(FakeNode& node, std::size_t piece) {
  return [&node, piece](int socket) {
    const auto& magic = chain::params(chain::Network::Regtest).magic;
    const int on = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    FakePeer peer(node);
    p2p::MessageReader reader(magic);
    while (readable(socket)) {
      const auto room = reader.prepare(65'536);
      const ssize_t got = recv(socket, room.data(), room.size(), 0);
      if (got <= 0) return;
      reader.commit(static_cast<std::size_t>(got));
      auto next = reader.next();
      for (; next && next->has_value(); next = reader.next()) {
        const Reply reply = peer.handle(**next);
        for (const auto& message : reply.messages) {
          if (!send_pieces(socket, p2p::encode_frame(magic, message), piece)) return;
        }
        if (reply.closed) return;
      }
      if (!next) return;  // as a node does that knows no encryption
    }
  };
}

LoopbackServer::Serve serve_bytes(util::Bytes bytes) {
  return [bytes = std::move(bytes)](int socket) {
    if (!send_pieces(socket, bytes, SIZE_MAX)) return;
    std::array<char, 4096> sink{};
    while (readable(socket) && recv(socket, sink.data(), sink.size(), 0) > 0) {
    }
  };
}

}  // namespace spv::test
