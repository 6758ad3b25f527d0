// ServerTest: a server on a free port of the loopback with a thread of its own, and a handler that a test scripts.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "serve/http/server.h"
#include "tests/serve/http/raw_client.h"

namespace spv::test {

inline constexpr std::string_view kToken = "0123456789abcdef0123456789abcdef";

/// Does what the test says; otherwise answers with method, path and body of the request.
class ScriptedHandler : public serve::Handler {
 public:
  std::function<void(serve::Request, serve::Reply)> script;
  void handle(serve::Request request, serve::Reply reply) override;
};

class ServerTest : public ::testing::Test {
 protected:
  /// Halts the server's thread at the end of its scope: before what a handler refers to goes.
  class Running {
   public:
    explicit Running(ServerTest& test) : test_(test) {}
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    ~Running() { test_.halt(); }

   private:
    ServerTest& test_;
  };

  /// To be called once, after the options and the handler are set.
  [[nodiscard]] Running start();
  /// Asks the server to stop and waits until its loop has nothing more to do; gives how long that took.
  std::chrono::milliseconds stop_and_wait();
  [[nodiscard]] RawClient connect(int receive_buffer = 0) const { return RawClient(port_, receive_buffer); }
  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] std::string host() const { return "127.0.0.1:" + std::to_string(port_); }
  /// The access log so far.
  std::vector<std::string> log_lines();
  /// The status of a request on a connection of its own; 0 if it is closed without an answer.
  [[nodiscard]] unsigned status_of(std::string_view bytes) const;
  /// The same; and the connection must be closed afterwards.
  [[nodiscard]] unsigned status_before_close(std::string_view bytes) const;

  serve::ServerOptions options_;
  serve::AccessOptions access_options_{
      .token = std::string(kToken), .host_names = {"wallet.example"}, .entropy = counted_entropy()};
  ScriptedHandler handler_;
  std::unique_ptr<serve::Server> server_;

 private:
  void halt();

  boost::asio::io_context io_{1};
  std::unique_ptr<serve::Access> access_;
  std::thread thread_;
  std::uint16_t port_ = 0;
  std::mutex mutex_;
  std::vector<std::string> log_;
};

/// Waits until it is so; false after a time that no test needs.
bool becomes_true(const std::function<bool()>& condition);

}  // namespace spv::test
