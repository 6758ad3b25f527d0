#include "tests/support/socks5_server.h"

#include <arpa/inet.h>
#include <array>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "util/bytes.h"
#include "util/ensure.h"

namespace spv::test {
namespace {

bool read_exactly(int socket, std::span<std::uint8_t> out) {
  while (!out.empty()) {
    const ssize_t got = recv(socket, out.data(), out.size(), 0);
    if (got <= 0) return false;
    out = out.subspan(static_cast<std::size_t>(got));
  }
  return true;
}

bool write_all(int socket, util::ByteView bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
  return true;
}

bool read_text(int socket, std::string& out) {
  std::array<std::uint8_t, 1> size{};
  if (!read_exactly(socket, size)) return false;
  util::Bytes text(size[0]);
  if (!read_exactly(socket, text)) return false;
  out.assign(text.begin(), text.end());
  return true;
}

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

int connect_to(std::uint16_t port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const auto address = loopback(port);
  if (connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return socket;
  close(socket);
  return -1;
}

std::string route(const std::string& host, std::uint16_t port) { return host + " " + std::to_string(port); }

}  // namespace

Socks5Server::Socks5Server(Options options)
    : options_(options), listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  auto address = loopback(0);
  socklen_t size = sizeof address;
  auto* raw = reinterpret_cast<sockaddr*>(&address);
  util::ensure(bind(listener_, raw, size) == 0 && listen(listener_, 64) == 0, "cannot listen on loopback");
  util::ensure(getsockname(listener_, raw, &size) == 0, "no port");
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { accept_all(); });
}

Socks5Server::~Socks5Server() {
  stopping_ = true;
  shutdown(listener_, SHUT_RDWR);
  thread_.join();
  for (auto& worker : workers_) worker.join();
  close(listener_);
}

void Socks5Server::map(const std::string& host, std::uint16_t port, std::uint16_t local_port) {
  const std::lock_guard lock(mutex_);
  routes_[route(host, port)] = local_port;
}

std::vector<Socks5Server::Request> Socks5Server::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

void Socks5Server::accept_all() {
  while (!stopping_) {
    const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) continue;
    ++connections_;
    const timeval limit{.tv_sec = 10, .tv_usec = 0};
    setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    workers_.emplace_back([this, client] {
      serve(client);
      close(client);
    });
  }
}

void Socks5Server::serve(int client) {
  Request request;
  if (!shake_hands(client, request) || !read_request(client, request)) return;
  std::uint16_t local_port = 0;
  {
    const std::lock_guard lock(mutex_);
    requests_.push_back(request);
    const auto found = routes_.find(route(request.host, request.port));
    if (found != routes_.end()) local_port = found->second;
  }
  std::uint8_t reply = options_.refuse_with;
  const int target = reply == 0 && local_port != 0 ? connect_to(local_port) : -1;
  if (reply == 0 && target < 0) reply = local_port == 0 ? 4 : 5;  // host unreachable, connection refused
  const std::array<std::uint8_t, 10> answer = {5, reply, 0, 1, 0, 0, 0, 0, 0, 0};
  if (write_all(client, answer) && target >= 0) relay(client, target);
  if (target >= 0) close(target);
}

bool Socks5Server::shake_hands(int client, Request& request) const {
  std::array<std::uint8_t, 2> head{};
  if (!read_exactly(client, head) || head[0] != 5) return false;
  util::Bytes methods(head[1]);
  if (!read_exactly(client, methods)) return false;
  if (!options_.wants_login) return write_all(client, util::Bytes{5, 0});
  if (!write_all(client, util::Bytes{5, 2})) return false;
  std::array<std::uint8_t, 1> version{};
  if (!read_exactly(client, version) || version[0] != 1) return false;
  if (!read_text(client, request.user) || !read_text(client, request.password)) return false;
  const std::uint8_t status = options_.refuses_login ? 1 : 0;
  return write_all(client, util::Bytes{1, status}) && status == 0;
}

bool Socks5Server::read_request(int client, Request& request) const {
  std::array<std::uint8_t, 4> head{};
  if (!read_exactly(client, head) || head[0] != 5 || head[1] != 1) return false;
  if (head[3] == 3) {
    request.by_name = true;
    if (!read_text(client, request.host)) return false;
  } else {
    util::Bytes ip(head[3] == 1 ? 4 : 16);
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (!read_exactly(client, ip)) return false;
    inet_ntop(head[3] == 1 ? AF_INET : AF_INET6, ip.data(), text.data(), text.size());
    request.host = text.data();
  }
  std::array<std::uint8_t, 2> port{};
  if (!read_exactly(client, port)) return false;
  request.port = static_cast<std::uint16_t>((port[0] << 8) | port[1]);
  return true;
}

void Socks5Server::relay(int client, int target) const {
  std::array<pollfd, 2> sockets = {pollfd{client, POLLIN, 0}, pollfd{target, POLLIN, 0}};
  util::Bytes buffer(65'536);
  while (!stopping_) {
    if (poll(sockets.data(), sockets.size(), 100) < 0) return;
    for (std::size_t i = 0; i < sockets.size(); ++i) {
      if (sockets[i].revents == 0) continue;
      const ssize_t got = recv(sockets[i].fd, buffer.data(), buffer.size(), 0);
      if (got <= 0) return;
      if (!write_all(sockets[1 - i].fd, util::ByteView(buffer).first(static_cast<std::size_t>(got)))) return;
    }
  }
}

}  // namespace spv::test
