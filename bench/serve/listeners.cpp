// Many event streams at once: when does a text reach the first of them, and when the last?
//
// usage: serve_listeners PORT TOKEN COUNT PATH     prints "open" when all streams have begun; then for each line of
// stdin,
//        a text to wait for, one line: the times (Unix, in seconds) when the first and the last stream had it
#include <arpa/inet.h>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <netinet/in.h>
#include <string>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

namespace {

struct Listener {
  int socket = -1;
  std::string received;
};

[[noreturn]] void fail(const char* what) {
  std::perror(what);
  std::exit(1);
}

int open_stream(std::uint16_t port, const std::string& request) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) fail("connect");
  if (::send(socket, request.data(), request.size(), 0) != static_cast<ssize_t>(request.size())) fail("send");
  return socket;
}

double now() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

/// Reads until every stream has the text, and forgets what came up to it; gives when the first and the last had it.
std::pair<double, double> wait_for(int poll, std::vector<Listener>& listeners, const std::string& text) {
  std::size_t left = listeners.size();
  std::pair<double, double> times{0, 0};
  const auto look = [&](Listener& listener) {
    const auto at = listener.received.find(text);
    if (at == std::string::npos) return;
    listener.received.erase(0, at + text.size());
    times.second = now();
    if (times.first == 0) times.first = times.second;
    --left;
  };
  std::vector<bool> has(listeners.size(), false);
  for (std::size_t i = 0; i < listeners.size(); ++i) {
    const auto before = left;
    look(listeners[i]);
    has[i] = left != before;
  }
  std::array<epoll_event, 256> events{};
  std::array<char, 65'536> part{};
  while (left > 0) {
    const int count = ::epoll_wait(poll, events.data(), static_cast<int>(events.size()), 60'000);
    if (count <= 0) fail("nothing came for a minute");
    for (int i = 0; i < count; ++i) {
      const auto index = static_cast<std::size_t>(events[static_cast<std::size_t>(i)].data.u64);
      Listener& listener = listeners[index];
      const auto size = ::recv(listener.socket, part.data(), part.size(), 0);
      if (size <= 0) fail("a stream ended");
      listener.received.append(part.data(), static_cast<std::size_t>(size));
      if (has[index]) continue;
      const auto before = left;
      look(listener);
      has[index] = left != before;
    }
  }
  return times;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  const std::string request =
      "GET " + std::string(argv[4]) + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + argv[2] + "\r\n\r\n";
  const int poll = ::epoll_create1(0);
  std::vector<Listener> listeners(std::strtoul(argv[3], nullptr, 10));
  for (std::size_t i = 0; i < listeners.size(); ++i) {
    listeners[i].socket = open_stream(static_cast<std::uint16_t>(std::strtoul(argv[1], nullptr, 10)), request);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = i;
    if (::epoll_ctl(poll, EPOLL_CTL_ADD, listeners[i].socket, &event) != 0) fail("epoll_ctl");
  }
  wait_for(poll, listeners, "HTTP/1.1 200 OK");
  std::cout << "open" << std::endl;
  std::cout.precision(17);
  for (std::string text; std::getline(std::cin, text);) {
    const auto [first, last] = wait_for(poll, listeners, text);
    std::cout << first << ' ' << last << std::endl;
  }
}
