// Socks5Server: a small real SOCKS5 proxy on 127.0.0.1 for tests. It logs what it is asked for, and reaches the names
// and addresses that a test gives it, and nothing else.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace spv::test {

class Socks5Server {
 public:
  /// What a client asked for.
  struct Request {
    std::string user;
    std::string password;
    std::string host;  // as it came: a name stays a name
    std::uint16_t port = 0;
    bool by_name = false;
    friend bool operator==(const Request&, const Request&) = default;
  };
  struct Options {
    bool wants_login = true;       // else it takes whoever comes
    bool refuses_login = false;    // whatever it is
    std::uint8_t refuse_with = 0;  // the answer to every request; zero: serve
  };

  Socks5Server() : Socks5Server(Options()) {}
  explicit Socks5Server(Options options);
  Socks5Server(const Socks5Server&) = delete;
  Socks5Server& operator=(const Socks5Server&) = delete;
  ~Socks5Server();

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  /// From now on "host:port" is to be found at this port of 127.0.0.1.
  void map(const std::string& host, std::uint16_t port, std::uint16_t local_port);
  [[nodiscard]] std::vector<Request> requests() const;
  [[nodiscard]] int connections() const { return connections_; }

 private:
  void accept_all();
  void serve(int client);
  bool shake_hands(int client, Request& request) const;
  bool read_request(int client, Request& request) const;
  void relay(int client, int target) const;

  Options options_;
  int listener_;
  std::uint16_t port_ = 0;
  std::atomic<bool> stopping_{false};
  std::atomic<int> connections_{0};
  mutable std::mutex mutex_;
  std::map<std::string, std::uint16_t> routes_;
  std::vector<Request> requests_;
  std::vector<std::thread> workers_;
  std::thread thread_;
};

}  // namespace spv::test
