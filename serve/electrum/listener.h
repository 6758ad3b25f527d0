// Listener: accepts clients of the Electrum protocol on a port, plain or by TLS.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "util/expected.h"

namespace boost::asio {
class io_context;  // NOLINT(readability-identifier-naming): its own name
}

namespace spv::serve::electrum {

class Link;
class LinkOwner;

struct ListenerOptions {
  std::string host = "127.0.0.1";  // an address, or "localhost"
  std::uint16_t port = 0;          // 0: any free one
  /// With both, TLS.
  std::string certificate_file;
  std::string key_file;
};

class Listener {
 public:
  /// Called with each client that has come; null-like false: there are too many, it is closed.
  using Welcome = std::function<bool(const std::shared_ptr<Link>&)>;

  /// `io` and `owner` outlive it.
  Listener(boost::asio::io_context& io, ListenerOptions options, LinkOwner& owner, Welcome welcome);
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener();

  /// Gives HOST:PORT.
  util::Expected<std::string, std::string> listen();
  /// Nobody is accepted any more.
  void stop();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace spv::serve::electrum
