// Access: who may ask. The token (compared in constant time), session cookies, the Host check against DNS rebinding and
// the Origin check against requests that other sites forge. Used on the server's thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "serve/http/authority.h"
#include "serve/http/failure_limit.h"
#include "serve/http/request.h"
#include "serve/http/sessions.h"
#include "util/hash256.h"
#include "util/time.h"

namespace spv::serve {

struct AccessOptions {
  std::string token = {};
  std::vector<std::string> host_names = {};  // by --host: NAME or NAME:PORT
  Entropy entropy;                           // for the cookies
};

/// The headers that decide about access, as sent; views into the head of the request.
struct Credentials {
  std::string_view host = {};
  std::string_view authorization = {};
  std::string_view cookie = {};
  std::string_view origin = {};
};

class Access {
 public:
  /// A token that complaint_about_token() has nothing to say about.
  explicit Access(AccessOptions options);

  /// What the server listens on. The name of the cookie has the port in it: browsers send cookies to every port.
  void listening_on(std::string address, std::uint16_t port);

  /// Whether it is a host that we serve; `local_address` is where the connection came in, for one that listens on all.
  [[nodiscard]] bool knows_host(std::string_view host, std::string_view local_address) const;

  enum class Verdict { None, Wrong, TooMany, Token, Session };
  /// None: neither token nor cookie. Wrong: one that does not hold. TooMany: wrong, and too often.
  Verdict check(const Credentials& credentials, util::TimePoint now);
  /// Whether a changing request with a session comes from our own page.
  [[nodiscard]] bool is_own_origin(const Credentials& credentials) const;

  /// The value of Set-Cookie for a new session; or why there is none.
  Verdict open_session(std::string_view token, util::TimePoint now, std::string& set_cookie);
  /// Ends the session of this Cookie header, if it has one. Gives the Set-Cookie that makes the browser forget it.
  std::string close_session(std::string_view cookie_header);

 private:
  [[nodiscard]] bool is_token(std::string_view token) const;
  Verdict judge_token(std::string_view token, util::TimePoint now);

  util::Hash256 token_hash_;
  HostNames hosts_;
  std::string cookie_name_ = "spv_session";
  Sessions sessions_;
  FailureLimit failures_;
};

/// Why this cannot be a token; empty if it can.
std::string complaint_about_token(std::string_view token);

}  // namespace spv::serve
