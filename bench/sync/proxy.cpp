// A TCP proxy that adds delay and nothing else: whatever comes is handed on after DELAY milliseconds, in both
// directions, with as much under way as there is. Prints its port, then for each connection that ends the time
// (CLOCK_MONOTONIC) at which the client was given its last byte.
//
// usage: sync_proxy HOST:PORT DELAY
#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <fcntl.h>
#include <list>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

namespace {

constexpr std::size_t kReadBytes = 256 * 1024;

double now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

struct Piece {
  double due = 0;
  std::vector<char> bytes;
  std::size_t sent = 0;
};

/// One direction of a connection.
struct Flow {
  int from = -1;
  int to = -1;
  std::deque<Piece> pieces{};
  bool ended = false;   // nothing more comes
  bool broken = false;  // the other side takes nothing more
  double last = 0;      // when it handed on its last byte

  void read(double delay) {
    std::vector<char> bytes(kReadBytes);
    const auto n = recv(from, bytes.data(), bytes.size(), 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0) {
      ended = true;
      return;
    }
    bytes.resize(static_cast<std::size_t>(n));
    pieces.push_back({.due = now() + delay, .bytes = std::move(bytes)});
  }

  void write() {
    while (!pieces.empty() && pieces.front().due <= now()) {
      Piece& piece = pieces.front();
      const auto n = send(to, piece.bytes.data() + piece.sent, piece.bytes.size() - piece.sent, MSG_NOSIGNAL);
      if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
      if (n < 0) {
        broken = true;
        return;
      }
      last = now();
      piece.sent += static_cast<std::size_t>(n);
      if (piece.sent == piece.bytes.size()) pieces.pop_front();
    }
  }

  [[nodiscard]] bool due(double time) const { return !pieces.empty() && pieces.front().due <= time; }
  [[nodiscard]] bool over() const { return broken || (ended && pieces.empty()); }
};

struct Connection {
  Flow up;    // from the client to the node
  Flow down;  // from the node to the client
};

int connect_to(const sockaddr_in& node) {
  const int out = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(out, reinterpret_cast<const sockaddr*>(&node), sizeof node) == 0) return out;
  close(out);
  return -1;
}

void prepare(int socket) {
  const int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  fcntl(socket, F_SETFL, O_NONBLOCK);
}

class Proxy {
 public:
  Proxy(int listener, const sockaddr_in& node, double delay) : listener_(listener), node_(node), delay_(delay) {}

  [[noreturn]] void run() {
    for (;;) {
      wait();
      for (auto& connection : connections_) {
        connection.up.write();
        connection.down.write();
      }
      connections_.remove_if([](const Connection& connection) {
        if (!connection.up.over() && !connection.down.over()) return false;
        std::printf("{\"last_byte_at\":%.6f}\n", connection.down.last);
        std::fflush(stdout);
        close(connection.up.from);
        close(connection.up.to);
        return true;
      });
    }
  }

 private:
  void wait() {
    std::vector<pollfd> polled{{.fd = listener_, .events = POLLIN, .revents = 0}};
    const double time = now();
    double next = time + 3600;
    for (const auto& connection : connections_) {
      for (const Flow* flow : {&connection.up, &connection.down}) {
        const Flow& back = flow == &connection.up ? connection.down : connection.up;
        const auto wanted = (flow->ended ? 0 : POLLIN) | (back.due(time) ? POLLOUT : 0);
        polled.push_back({.fd = flow->from, .events = static_cast<short>(wanted), .revents = 0});
        if (!flow->pieces.empty() && flow->pieces.front().due > time) next = std::min(next, flow->pieces.front().due);
      }
    }
    const double left = next - time;
    const timespec timeout{.tv_sec = static_cast<time_t>(left),
                           .tv_nsec = static_cast<long>((left - static_cast<double>(static_cast<time_t>(left))) * 1e9)};
    if (ppoll(polled.data(), polled.size(), &timeout, nullptr) <= 0) return;
    std::size_t i = 1;
    for (auto& connection : connections_) {
      for (Flow* flow : {&connection.up, &connection.down}) {
        if ((polled[i++].revents & (POLLIN | POLLHUP | POLLERR)) != 0) flow->read(delay_);
      }
    }
    if (polled[0].revents != 0) accept_one();
  }

  void accept_one() {
    const int client = accept(listener_, nullptr, nullptr);
    if (client < 0) return;
    const int node = connect_to(node_);
    if (node < 0) {
      close(client);
      return;
    }
    prepare(client);
    prepare(node);
    connections_.push_back({.up = {.from = client, .to = node}, .down = {.from = node, .to = client}});
  }

  int listener_;
  sockaddr_in node_;
  double delay_;
  std::list<Connection> connections_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string target = argv[1];
  const auto colon = target.rfind(':');
  sockaddr_in node{};
  node.sin_family = AF_INET;
  node.sin_port = htons(static_cast<std::uint16_t>(std::strtoul(target.c_str() + colon + 1, nullptr, 10)));
  if (inet_pton(AF_INET, target.substr(0, colon).c_str(), &node.sin_addr) != 1) return 2;

  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in own{};
  own.sin_family = AF_INET;
  own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof own;
  if (bind(listener, reinterpret_cast<const sockaddr*>(&own), sizeof own) != 0 || listen(listener, 16) != 0 ||
      getsockname(listener, reinterpret_cast<sockaddr*>(&own), &size) != 0) {
    std::perror("sync_proxy");
    return 1;
  }
  std::printf("%u\n", unsigned{ntohs(own.sin_port)});
  std::fflush(stdout);
  Proxy(listener, node, std::strtod(argv[2], nullptr) / 1e3).run();
}
