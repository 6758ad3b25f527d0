#include "tests/support/rpc.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cctype>
#include <cstdlib>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <openssl/evp.h>

namespace spv::test {
namespace {

// Mining thousands of blocks in one call takes a while on a busy machine.
constexpr timeval kTimeout{.tv_sec = 180, .tv_usec = 0};

std::string base64(std::string_view text) {
  std::string out(4 * ((text.size() + 2) / 3) + 1, '\0');
  const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                   reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
  out.resize(static_cast<std::size_t>(size));
  return out;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// The value of a header field in a lower-cased head; empty if it is not there.
std::string field(const std::string& head, const std::string& name) {
  const auto start = head.find("\r\n" + name + ":");
  if (start == std::string::npos) return {};
  const auto value = head.find_first_not_of(' ', start + 2 + name.size() + 1);
  return head.substr(value, head.find("\r\n", value) - value);
}

}  // namespace

RpcClient::RpcClient(std::uint16_t port, std::string_view cookie) : port_(port), authorization_(base64(cookie)) {}

boost::json::value RpcClient::call(const std::string& path, std::string_view method, const boost::json::array& params) {
  const std::string body = boost::json::serialize(
      boost::json::object{{"jsonrpc", "1.0"}, {"id", 0}, {"method", method}, {"params", params}});
  const Response response = exchange(
      "POST " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Basic " + authorization_ +
      "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  boost::json::error_code failed;
  auto parsed = boost::json::parse(response.body, failed);
  const auto* object = parsed.if_object();
  if (failed || object == nullptr || !object->contains("error") || !object->contains("result")) {
    throw RpcError(0, std::string(method) + ": HTTP status " + std::to_string(response.status));
  }
  if (const auto* error = object->at("error").if_object()) {
    throw RpcError(static_cast<int>(error->at("code").as_int64()),
                   std::string(method) + ": " + std::string(error->at("message").as_string()));
  }
  return object->at("result");
}

RpcClient::Response RpcClient::exchange(const std::string& request) {
  // A kept connection may have been closed by the node meanwhile: then, and only then, once more on a new one.
  for (const bool reused : {socket_ >= 0, false}) {
    if (socket_ < 0 && !connect()) break;
    Response response;
    bool any_byte = false;
    if (send_all(request) && read_response(response, any_byte)) return response;
    disconnect();
    if (!reused || any_byte) break;
  }
  throw RpcError(0, "the node does not answer on port " + std::to_string(port_));
}

bool RpcClient::connect() {
  socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port_);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int one = 1;
  setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &kTimeout, sizeof kTimeout);
  setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &kTimeout, sizeof kTimeout);
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return true;
  disconnect();
  return false;
}

void RpcClient::disconnect() {
  if (socket_ >= 0) close(socket_);
  socket_ = -1;
}

bool RpcClient::send_all(std::string_view data) const {
  while (!data.empty()) {
    const ssize_t sent = send(socket_, data.data(), data.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    data.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool RpcClient::receive_more(std::string& buffer) const {
  std::array<char, 65536> chunk{};
  const ssize_t got = recv(socket_, chunk.data(), chunk.size(), 0);
  if (got <= 0) return false;
  buffer.append(chunk.data(), static_cast<std::size_t>(got));
  return true;
}

bool RpcClient::read_response(Response& response, bool& any_byte) {
  std::string buffer;
  std::size_t head_end = std::string::npos;
  while ((head_end = buffer.find("\r\n\r\n")) == std::string::npos) {
    if (!receive_more(buffer)) return false;
    any_byte = true;
  }
  const std::string head = lower(buffer.substr(0, head_end + 2));
  response.status = std::atoi(head.substr(head.find(' ') + 1).c_str());
  const std::size_t size = std::strtoul(field(head, "content-length").c_str(), nullptr, 10);
  response.body = buffer.substr(head_end + 4);
  while (response.body.size() < size) {
    if (!receive_more(response.body)) return false;
  }
  if (field(head, "connection") == "close") disconnect();
  return true;
}

}  // namespace spv::test
