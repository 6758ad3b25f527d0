#include "serve/http/access.h"

#include <openssl/crypto.h>

#include "serve/http/cookies.h"
#include "serve/http/text.h"
#include "util/ensure.h"
#include "util/hash.h"

namespace spv::serve {
namespace {

constexpr std::size_t kLongestToken = 1'024;
constexpr std::string_view kBearer = "bearer ";

}  // namespace

std::string complaint_about_token(std::string_view token) {
  if (token.empty()) return "the token is empty";
  if (token.size() > kLongestToken) return "the token is too long: use at most 1024 characters";
  for (const char c : token)
    if (c <= ' ' || c > '~') return "the token may only have printable ASCII characters, without blanks";
  return {};
}

Access::Access(AccessOptions options)
    : token_hash_(util::sha256(util::as_bytes(options.token))),
      hosts_(options.host_names),
      sessions_(std::move(options.entropy)) {
  util::ensure(complaint_about_token(options.token).empty(), "the token was not checked");
}

void Access::listening_on(std::string address, std::uint16_t port) {
  hosts_.listening_on(std::move(address), port);
  cookie_name_ = "spv_session_" + std::to_string(port);
}

bool Access::knows_host(std::string_view host, std::string_view local_address) const {
  return hosts_.knows(host, local_address);
}

// Hashes are compared, so that the time says nothing about the length either.
bool Access::is_token(std::string_view token) const {
  const auto hash = util::sha256(util::as_bytes(token));
  return CRYPTO_memcmp(hash.bytes.data(), token_hash_.bytes.data(), hash.bytes.size()) == 0;
}

Access::Verdict Access::judge_token(std::string_view token, util::TimePoint now) {
  if (is_token(token)) return Verdict::Token;
  return failures_.note(now) ? Verdict::Wrong : Verdict::TooMany;
}

Access::Verdict Access::check(const Credentials& credentials, util::TimePoint now) {
  const std::string_view authorization = credentials.authorization;
  if (!authorization.empty()) {
    if (!equal_ignoring_case(authorization.substr(0, kBearer.size()), kBearer)) return Verdict::Wrong;
    return judge_token(trim(authorization.substr(kBearer.size())), now);
  }
  const auto secret = find_cookie(credentials.cookie, cookie_name_);
  if (!secret) return Verdict::None;
  return sessions_.use(*secret, now) ? Verdict::Session : Verdict::None;
}

bool Access::is_own_origin(const Credentials& credentials) const {
  return hosts_.is_own_origin(credentials.origin, credentials.host);
}

Access::Verdict Access::open_session(std::string_view token, util::TimePoint now, std::string& set_cookie) {
  const Verdict verdict = judge_token(token, now);
  if (verdict == Verdict::Token)
    set_cookie = cookie_name_ + '=' + sessions_.open(now) + "; HttpOnly; SameSite=Strict; Path=/";
  return verdict;
}

std::string Access::close_session(std::string_view cookie_header) {
  if (const auto secret = find_cookie(cookie_header, cookie_name_)) sessions_.close(*secret);
  return cookie_name_ + "=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0";
}

}  // namespace spv::serve
