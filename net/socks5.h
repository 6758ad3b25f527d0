// SOCKS5 (RFC 1928) with a user and a password (RFC 1929), the client's side as a pure state machine: names are handed
// to the proxy, which alone resolves them.
//
//   Greeting --method--> [Login --status-->] Request --reply--> Open
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "util/bytes.h"
#include "util/expected.h"

namespace spv::net {

/// A proxy and who we say we are: other words mean another circuit to proxies that isolate streams, as Tor does.
struct Proxy {
  std::string host;
  std::uint16_t port = 0;
  std::string user;  // at most 255 bytes each; both empty: only connections without login
  std::string password;
};

/// Why there is no way through the proxy.
enum class Socks5Error {
  NotSocks5,  // it answers something else
  LoginWanted,
  LoginRefused,
  GeneralFailure,
  NotAllowed,
  NetworkUnreachable,
  HostUnreachable,
  ConnectionRefused,
  TimedOut,  // RFC 1928: TTL expired
  NotSupported,
};
std::string_view to_string(Socks5Error error);

class Socks5Client {
 public:
  /// `host`: an address, or a name of at most 255 bytes.
  Socks5Client(const Proxy& proxy, std::string host, std::uint16_t port);

  /// What to send now; empty if it is the proxy's turn.
  util::Bytes take_output();
  /// How many bytes to read before the next receive(); zero once the way is open.
  [[nodiscard]] std::size_t wanted() const { return wanted_; }
  /// Takes exactly wanted() bytes.
  util::Expected<void, Socks5Error> receive(util::ByteView bytes);

 private:
  enum class State { Greeting, Login, Reply, BoundAddress, Open };

  util::Expected<void, Socks5Error> on_method(util::ByteView bytes);
  util::Expected<void, Socks5Error> on_login(util::ByteView bytes);
  util::Expected<void, Socks5Error> on_reply(util::ByteView bytes);
  void say_login();
  void say_request();

  std::string user_;
  std::string password_;
  std::string host_;
  std::uint16_t port_;
  State state_ = State::Greeting;
  std::size_t wanted_ = 2;
  util::Bytes output_;
};

}  // namespace spv::net
