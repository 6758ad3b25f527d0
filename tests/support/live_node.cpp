#include "tests/support/live_node.h"

#include <algorithm>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "chain/params.h"
#include "p2p/message_reader.h"
#include "tests/support/loopback_server.h"
#include "util/ensure.h"

namespace spv::test {
namespace {

constexpr int kNewsEvery = 5;  // milliseconds
constexpr std::chrono::seconds kPatience{30};

const p2p::Magic& live_magic() { return chain::params(chain::Network::Regtest).magic; }

bool send_all(int socket, const Reply& reply) {
  return std::ranges::all_of(reply.messages, [&](const p2p::Message& message) {
    return send_pieces(socket, p2p::encode_frame(live_magic(), message), SIZE_MAX);
  });
}

bool has_input(int socket, int milliseconds) {
  pollfd poll_for{.fd = socket, .events = POLLIN, .revents = 0};
  return poll(&poll_for, 1, milliseconds) == 1;
}

bool has_hung_up(int socket) {
  pollfd poll_for{.fd = socket, .events = POLLRDHUP, .revents = 0};
  return poll(&poll_for, 1, 0) == 1;
}

}  // namespace

LiveNode::LiveNode(ChainBuilder chain) : node_(std::move(chain)), listener_(socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* raw = reinterpret_cast<sockaddr*>(&address);
  util::ensure(bind(listener_, raw, size) == 0 && listen(listener_, 8) == 0, "cannot listen on loopback");
  util::ensure(getsockname(listener_, raw, &size) == 0, "no port");
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { accept_all(); });
}

LiveNode::~LiveNode() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  for (auto& thread : threads_) thread.join();
  close(listener_);
}

void LiveNode::hold_back_to(chain::Height height) {
  const std::lock_guard lock(mutex_);
  held_to_ = height;
  changed_.notify_all();
}

bool LiveNode::wait_for_held(int count) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, kPatience, [&] { return held_ == count; });
}

bool LiveNode::wait_for_connections(int count) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, kPatience, [&] { return connections_ == count; });
}

void LiveNode::accept_all() {
  while (true) {
    const int connection = accept(listener_, nullptr, nullptr);
    const std::lock_guard lock(mutex_);
    if (stopping_) {
      if (connection >= 0) close(connection);
      return;
    }
    if (connection < 0) continue;
    ++connections_;
    changed_.notify_all();
    threads_.emplace_back([this, connection] { serve(connection); });
  }
}

void LiveNode::serve(int socket) {
  const int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  std::optional<FakePeer> peer;
  with([&](FakeNode& node) { peer.emplace(node); });
  p2p::MessageReader reader(live_magic());
  bool open = true;
  while (open && tell_news(socket, *peer)) {
    if (!has_input(socket, kNewsEvery)) continue;
    const auto room = reader.prepare(65'536);
    const ssize_t got = recv(socket, room.data(), room.size(), 0);
    if (got <= 0) break;
    reader.commit(static_cast<std::size_t>(got));
    auto next = reader.next();
    for (; open && next && next->has_value(); next = reader.next()) open = answer(socket, *peer, **next);
    open = open && next.has_value();
  }
  close(socket);
  const std::lock_guard lock(mutex_);
  --connections_;
  changed_.notify_all();
}

bool LiveNode::answer(int socket, FakePeer& peer, const p2p::Message& message) {
  const Reply reply = with([&](FakeNode&) { return peer.handle(message); });
  wait_while_held(socket, reply);
  return send_all(socket, reply) && !reply.closed;
}

bool LiveNode::tell_news(int socket, FakePeer& peer) {
  Reply news;
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return false;
    news = peer.announce_tip();
    const Reply more = peer.trickle();
    news.messages.insert(news.messages.end(), more.messages.begin(), more.messages.end());
  }
  return send_all(socket, news);
}

void LiveNode::wait_while_held(int socket, const Reply& reply) {
  std::unique_lock lock(mutex_);
  if (!is_held(reply)) return;
  ++held_;
  changed_.notify_all();
  const auto is_over = [&] { return stopping_ || !is_held(reply) || has_hung_up(socket); };
  while (!changed_.wait_for(lock, std::chrono::milliseconds(kNewsEvery), is_over)) {
  }
  --held_;
}

bool LiveNode::is_held(const Reply& reply) const {
  return std::ranges::any_of(reply.messages, [this](const p2p::Message& message) {
    const auto* filtered = std::get_if<p2p::MerkleBlock>(&message);
    const auto* whole = std::get_if<p2p::Block>(&message);
    if (filtered == nullptr && whole == nullptr) return false;
    const Block* block = node_.find_block((filtered != nullptr ? filtered->header : whole->header).hash());
    return block != nullptr && block->height <= held_to_;
  });
}

}  // namespace spv::test
