#include "tests/support/raw_peer.h"

#include <algorithm>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <optional>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

#include "util/codec.h"

namespace spv::test {
namespace {

struct HungUp : std::runtime_error {
  HungUp() : std::runtime_error("the node hung up") {}
};

constexpr std::size_t kLengthOffset = 16;

}  // namespace

RawPeer::RawPeer(std::uint16_t port, const p2p::Magic& magic, std::chrono::seconds timeout)
    : magic_(magic), socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const timeval limit{.tv_sec = timeout.count(), .tv_usec = 0};
  const int on = 1;
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  if (connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    close(socket_);
    throw std::runtime_error("cannot connect to port " + std::to_string(port));
  }
}

RawPeer::~RawPeer() { close(socket_); }

p2p::Version RawPeer::shake_hands() {
  p2p::Version ours;
  ours.nonce = 0x7357;
  ours.user_agent = "/raw-peer/";
  ours.relay = false;
  send(ours);
  std::optional<p2p::Version> theirs;
  for (bool verack = false; !verack;) {
    const auto received = receive();
    if (const auto* version = std::get_if<p2p::Version>(&received.message)) theirs = *version;
    verack = std::holds_alternative<p2p::Verack>(received.message);
  }
  send(p2p::Verack{});
  if (!theirs) throw std::runtime_error("a verack without a version");
  return *theirs;
}

void RawPeer::send(const p2p::Message& message) {
  const auto frame = p2p::encode_frame(magic_, message);
  for (std::size_t sent = 0; sent < frame.size();) {
    const auto count = ::send(socket_, frame.data() + sent, frame.size() - sent, MSG_NOSIGNAL);
    if (count <= 0) throw HungUp();
    sent += static_cast<std::size_t>(count);
  }
}

Received RawPeer::receive() {
  util::Bytes frame(p2p::kFrameHeaderBytes);
  read_exactly(frame);
  const auto size = util::Reader(util::ByteView(frame).subspan(kLengthOffset)).integer<std::uint32_t>();
  if (size > p2p::kMaxPayloadBytes) throw std::runtime_error("an oversized message");
  frame.resize(p2p::kFrameHeaderBytes + size);
  read_exactly(std::span(frame).subspan(p2p::kFrameHeaderBytes));
  p2p::MessageReader reader(magic_);
  reader.feed(frame);
  auto message = reader.next();
  if (!message) throw std::runtime_error(std::string(p2p::to_string(message.error())));
  if (!message->has_value()) throw std::runtime_error("a whole frame that is none");
  return {std::move(**message), util::to_bytes(util::ByteView(frame).subspan(p2p::kFrameHeaderBytes))};
}

namespace {

// On a busy machine these come whenever the node gets around to them, also between two answers.
bool comes_unasked(const p2p::Message& message) {
  // A node announces its last block to whoever has just connected.
  if (const auto* inv = std::get_if<p2p::Inv>(&message)) {
    return std::ranges::all_of(inv->items, [](const auto& item) { return item.type == p2p::InventoryType::Block; });
  }
  return std::holds_alternative<p2p::FeeFilter>(message) || std::holds_alternative<p2p::GetHeaders>(message) ||
         std::holds_alternative<p2p::Unknown>(message);
}

}  // namespace

std::vector<Received> RawPeer::fence() {
  const p2p::Ping ours{next_nonce_++};
  send(ours);
  std::vector<Received> before;
  while (true) {
    auto received = receive();
    if (received.message == p2p::Message(p2p::Pong{ours.nonce})) return before;
    if (const auto* ping = std::get_if<p2p::Ping>(&received.message)) {
      send(p2p::Pong{ping->nonce});
    } else if (!comes_unasked(received.message)) {
      before.push_back(std::move(received));
    }
  }
}

bool RawPeer::hangs_up() {
  try {
    while (true) receive();
  } catch (const HungUp&) {
    return true;
  } catch (const std::runtime_error&) {
    return false;
  }
}

void RawPeer::read_exactly(std::span<std::uint8_t> out) {
  while (!out.empty()) {
    const auto count = recv(socket_, out.data(), out.size(), 0);
    if (count == 0 || (count < 0 && errno == ECONNRESET)) throw HungUp();
    if (count < 0) throw std::runtime_error("the node said nothing in time");
    out = out.subspan(static_cast<std::size_t>(count));
  }
}

}  // namespace spv::test
