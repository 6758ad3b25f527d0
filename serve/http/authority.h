// Authority: the HOST[:PORT] of a Host header, an Origin or an address to listen on; HostNames: those that we serve.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spv::serve {

struct Authority {
  std::string host;                   // lower case; an IPv6 address without its brackets
  std::optional<std::uint16_t> port;  // as written
  friend bool operator==(const Authority&, const Authority&) = default;
};

/// A name or an address, with or without a port; no user, no path. `[::1]:80` for IPv6.
std::optional<Authority> parse_authority(std::string_view text);
/// The authority of `http://…` or `https://…`, with the scheme's port where none is written. Nothing for "null".
std::optional<Authority> parse_origin(std::string_view text);
/// With brackets where they are needed.
std::string to_string(const Authority& authority);
/// An address of this machine's loopback, or "localhost". What listens elsewhere can be reached from outside.
bool is_loopback(std::string_view host);

class HostNames {
 public:
  /// NAME, whatever the port, or NAME:PORT.
  explicit HostNames(const std::vector<std::string>& named);
  void listening_on(std::string address, std::uint16_t port);

  /// The address listened on or localhost, with our port or none; or a name that was given.
  [[nodiscard]] bool knows(std::string_view host_header, std::string_view local_address) const;
  /// An origin that is the host of this request, or a name that was given (without a port: that of http or https).
  [[nodiscard]] bool is_own_origin(std::string_view origin, std::string_view host_header) const;

 private:
  std::vector<Authority> named_;
  std::string address_;
  bool on_all_addresses_ = false;
  std::uint16_t port_ = 0;
};

}  // namespace spv::serve
