// RpcClient: JSON-RPC over HTTP with a cookie, as bitcoind speaks it; blocking, one kept-alive connection.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include <boost/json.hpp>

namespace spv::test {

/// The node refused a call, or could not be reached (code 0).
class RpcError : public std::runtime_error {
 public:
  RpcError(int code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] int code() const { return code_; }

 private:
  int code_;
};

/// Calls one node on 127.0.0.1.
class RpcClient {
 public:
  /// `cookie` is the content of the node's .cookie file, user:password.
  RpcClient(std::uint16_t port, std::string_view cookie);
  RpcClient(const RpcClient&) = delete;
  RpcClient& operator=(const RpcClient&) = delete;
  ~RpcClient() { disconnect(); }

  /// The result of a call; throws RpcError. `path` is "/" or "/wallet/NAME".
  boost::json::value call(const std::string& path, std::string_view method, const boost::json::array& params);

 private:
  struct Response {
    int status = 0;
    std::string body;
  };
  Response exchange(const std::string& request);
  bool connect();
  void disconnect();
  [[nodiscard]] bool send_all(std::string_view data) const;
  bool receive_more(std::string& buffer) const;
  bool read_response(Response& response, bool& any_byte);

  std::uint16_t port_;
  std::string authorization_;
  int socket_ = -1;
};

}  // namespace spv::test
