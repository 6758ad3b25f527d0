#include "tests/serve/http/raw_client.h"

#include <arpa/inet.h>
#include <array>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include <utility>

#include "serve/http/text.h"
#include "tests/serve/http/server_fixture.h"

namespace spv::test {

RawClient::RawClient(std::uint16_t port, int receive_buffer) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
  const timeval patience{kPatience.count(), 0};
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  if (receive_buffer > 0) setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
  const int on = 1;
  setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    throw std::runtime_error("cannot connect");
}

RawClient::RawClient(RawClient&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)), received_(std::move(other.received_)) {}

RawClient::~RawClient() {
  if (socket_ >= 0) ::close(socket_);
}

bool RawClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool RawClient::receive() {
  std::array<char, 65'536> part{};
  const auto size = ::recv(socket_, part.data(), part.size(), 0);
  if (size <= 0) return false;
  received_.append(part.data(), static_cast<std::size_t>(size));
  return true;
}

std::optional<Answer> RawClient::read(bool bodiless) {
  auto end = received_.find("\r\n\r\n");
  for (; end == std::string::npos; end = received_.find("\r\n\r\n"))
    if (!receive()) return std::nullopt;
  Answer answer;
  answer.status = static_cast<unsigned>(std::stoul(received_.substr(9, 3)));
  for (auto line = received_.find("\r\n") + 2; line < end + 2;) {
    const auto colon = received_.find(": ", line);
    const auto line_end = received_.find("\r\n", line);
    answer.headers[serve::to_lower(received_.substr(line, colon - line))] =
        received_.substr(colon + 2, line_end - colon - 2);
    line = line_end + 2;
  }
  received_.erase(0, end + 4);
  const auto length = answer.header("content-length");
  const std::size_t size = bodiless || length.empty() ? 0 : std::stoul(length);
  while (received_.size() < size)
    if (!receive()) return std::nullopt;
  answer.body = received_.substr(0, size);
  received_.erase(0, size);
  return answer;
}

std::string RawClient::read_to_end() {
  while (receive()) {
  }
  return std::exchange(received_, {});
}

bool RawClient::read_until(std::string_view text) {
  while (received_.find(text) == std::string::npos)
    if (!receive()) return false;
  return true;
}

bool RawClient::is_closed() {
  std::array<char, 1> byte{};
  const auto size = ::recv(socket_, byte.data(), byte.size(), 0);
  if (size > 0) received_.append(byte.data(), 1);
  return size == 0 || (size < 0 && errno != EAGAIN && errno != EWOULDBLOCK);
}

void RawClient::shut_down_sending() { ::shutdown(socket_, SHUT_WR); }

std::string get(std::string_view path, std::string_view more_headers) {
  return "GET " + std::string(path) + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + std::string(kToken) +
         "\r\n" + std::string(more_headers) + "\r\n";
}

std::string post(std::string_view path, std::string_view body, std::string_view more_headers) {
  return "POST " + std::string(path) + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + std::string(kToken) +
         "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         std::string(more_headers) + "\r\n" + std::string(body);
}

}  // namespace spv::test
