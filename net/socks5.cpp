#include "net/socks5.h"

#include <utility>

#include "p2p/net_address.h"
#include "util/codec.h"
#include "util/ensure.h"

namespace spv::net {
namespace {

constexpr std::uint8_t kVersion = 5;
constexpr std::uint8_t kLoginVersion = 1;
constexpr std::uint8_t kNoLogin = 0;
constexpr std::uint8_t kUserPassword = 2;
constexpr std::uint8_t kConnect = 1;
constexpr std::uint8_t kIpv4 = 1;
constexpr std::uint8_t kName = 3;
constexpr std::uint8_t kIpv6 = 4;
constexpr std::size_t kMaxText = 255;
// Version, result, reserved, kind of address, and the first byte of it: its length if it is a name.
constexpr std::size_t kReplyHead = 5;

Socks5Error error_of(std::uint8_t reply) {
  switch (reply) {
    case 2:
      return Socks5Error::NotAllowed;
    case 3:
      return Socks5Error::NetworkUnreachable;
    case 4:
      return Socks5Error::HostUnreachable;
    case 5:
      return Socks5Error::ConnectionRefused;
    case 6:
      return Socks5Error::TimedOut;
    case 7:
    case 8:
      return Socks5Error::NotSupported;
    default:
      return Socks5Error::GeneralFailure;
  }
}

void write_text(util::Writer& out, std::string_view text) {
  out.integer(static_cast<std::uint8_t>(text.size())).bytes(util::as_bytes(text));
}

}  // namespace

std::string_view to_string(Socks5Error error) {
  switch (error) {
    case Socks5Error::NotSocks5:
      return "what answers there is no SOCKS5 proxy";
    case Socks5Error::LoginWanted:
      return "the proxy wants a login that we do not have";
    case Socks5Error::LoginRefused:
      return "the proxy refused our login";
    case Socks5Error::GeneralFailure:
      return "the proxy could not connect";
    case Socks5Error::NotAllowed:
      return "the proxy does not allow this connection";
    case Socks5Error::NetworkUnreachable:
      return "the proxy says: network unreachable";
    case Socks5Error::HostUnreachable:
      return "the proxy says: host unreachable";
    case Socks5Error::ConnectionRefused:
      return "the proxy says: connection refused";
    case Socks5Error::TimedOut:
      return "the proxy says: timed out";
    case Socks5Error::NotSupported:
      return "the proxy does not support this kind of address";
  }
  return "unknown proxy error";
}

Socks5Client::Socks5Client(const Proxy& proxy, std::string host, std::uint16_t port)
    : user_(proxy.user), password_(proxy.password), host_(std::move(host)), port_(port) {
  util::ensure(user_.size() <= kMaxText && password_.size() <= kMaxText && host_.size() <= kMaxText,
               "a text is too long for SOCKS5");
  if (user_.empty()) {
    output_ = {kVersion, 1, kNoLogin};
  } else {
    output_ = {kVersion, 2, kNoLogin, kUserPassword};
  }
}

util::Bytes Socks5Client::take_output() { return std::exchange(output_, {}); }

util::Expected<void, Socks5Error> Socks5Client::receive(util::ByteView bytes) {
  util::ensure(bytes.size() == wanted_ && state_ != State::Open, "not the bytes that the proxy's answer has");
  switch (state_) {
    case State::Greeting:
      return on_method(bytes);
    case State::Login:
      return on_login(bytes);
    case State::Reply:
      return on_reply(bytes);
    case State::BoundAddress:
    case State::Open:
      break;
  }
  state_ = State::Open;
  wanted_ = 0;
  return {};
}

util::Expected<void, Socks5Error> Socks5Client::on_method(util::ByteView bytes) {
  if (bytes[0] != kVersion) return util::Unexpected{Socks5Error::NotSocks5};
  if (bytes[1] == kNoLogin) {
    say_request();
  } else if (bytes[1] == kUserPassword && !user_.empty()) {
    say_login();
  } else {
    return util::Unexpected{Socks5Error::LoginWanted};
  }
  return {};
}

util::Expected<void, Socks5Error> Socks5Client::on_login(util::ByteView bytes) {
  if (bytes[0] != kLoginVersion) return util::Unexpected{Socks5Error::NotSocks5};
  if (bytes[1] != 0) return util::Unexpected{Socks5Error::LoginRefused};
  say_request();
  return {};
}

util::Expected<void, Socks5Error> Socks5Client::on_reply(util::ByteView bytes) {
  if (bytes[0] != kVersion) return util::Unexpected{Socks5Error::NotSocks5};
  if (bytes[1] != 0) return util::Unexpected{error_of(bytes[1])};
  constexpr std::size_t kPort = 2;
  if (bytes[3] == kIpv4) {
    wanted_ = 4 - 1 + kPort;
  } else if (bytes[3] == kIpv6) {
    wanted_ = 16 - 1 + kPort;
  } else if (bytes[3] == kName) {
    wanted_ = bytes[4] + kPort;
  } else {
    return util::Unexpected{Socks5Error::NotSocks5};
  }
  state_ = State::BoundAddress;
  return {};
}

void Socks5Client::say_login() {
  util::Writer out;
  out.integer(kLoginVersion);
  write_text(out, user_);
  write_text(out, password_);
  output_ = out.take();
  state_ = State::Login;
  wanted_ = 2;
}

void Socks5Client::say_request() {
  util::Writer out;
  out.integer(kVersion).integer(kConnect).integer(std::uint8_t{0});
  const auto address = p2p::parse_net_address(host_, port_);
  if (address && address->network != p2p::AddressNetwork::TorV3) {
    out.integer(address->network == p2p::AddressNetwork::Ipv4 ? kIpv4 : kIpv6).bytes(address->view());
  } else {
    out.integer(kName);
    write_text(out, host_);
  }
  out.big_endian16(port_);
  output_ = out.take();
  state_ = State::Reply;
  wanted_ = kReplyHead;
}

}  // namespace spv::net
