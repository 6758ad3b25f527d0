#include "store/postgres/database_url.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace spv::store::postgres {
namespace {

constexpr std::size_t kMaxUrlBytes = 4'096;
constexpr std::string_view kHidden = "***";
constexpr std::string_view kExample = "postgresql://user:password@host:5432/name";

// What libpq 15 takes, but for what has a place of its own in the URL and for what this program decides itself:
// client_encoding, replication, service.
constexpr std::array<std::string_view, 31> kParameters{
    "application_name", "channel_binding", "connect_timeout", "gssencmode", "gsslib", "hostaddr", "keepalives",
    "keepalives_count", "keepalives_idle", "keepalives_interval", "krbsrvname", "options", "passfile", "requirepeer",
    "ssl_max_protocol_version", "ssl_min_protocol_version", "sslcert", "sslcompression", "sslcrl", "sslcrldir",
    "sslkey", "sslmode", "sslpassword", "sslrootcert", "sslsni", "target_session_attrs", "tcp_user_timeout",
    // Those with a place of their own, which a socket's folder or a password from a vault may prefer.
    "host", "password", "port", "user"};

bool is_secret(std::string_view parameter) { return parameter == "password" || parameter == "sslpassword"; }

using Problem = util::Unexpected<DatabaseUrlError>;
Problem problem(std::string message) { return {DatabaseUrlError{std::move(message)}}; }
Problem unreadable(std::string_view what) {
  return problem("the database URL has " + std::string(what) + "; write it as " + std::string(kExample) +
                 ", and any of : / ? # [ ] @ % in the password percent-encoded (%40 for @)");
}

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    if (text.front() != '%') {
      out += text.front();
      text.remove_prefix(1);
      continue;
    }
    unsigned byte = 0;
    const std::string_view digits = text.substr(1, 2);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
    // A zero byte would end the value early in C.
    if (digits.size() != 2 || error != std::errc() || end != digits.data() + 2 || byte == 0) return std::nullopt;
    out += static_cast<char>(byte);
    text.remove_prefix(3);
  }
  return out;
}

std::string percent_encoded(std::string_view text, std::string_view also_plain) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~").find(c) != std::string_view::npos ||
                       also_plain.find(c) != std::string_view::npos;
    if (plain) {
      out += c;
    } else {
      out += {'%', kDigits[byte >> 4U], kDigits[byte & 15U]};
    }
  }
  return out;
}

// What stands before the first of these characters; the rest, with it, stays in `text`.
std::string_view take_until(std::string_view& text, std::string_view ends) {
  const std::string_view taken = text.substr(0, text.find_first_of(ends));
  text.remove_prefix(taken.size());
  return taken;
}

bool is_port(std::string_view text) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number >= 1 && number <= 65'535;
}

bool are_ports(std::string_view text) {
  for (;;) {
    const std::string_view port = take_until(text, ",");
    if (!port.empty() && !is_port(port)) return false;
    if (text.empty()) return true;
    text.remove_prefix(1);
  }
}

// One host of "host:port,host:port"; an IPv6 address stands in brackets. False if it cannot be read.
bool read_host(std::string_view text, DatabaseUrl& url) {
  std::string_view host;
  if (text.starts_with('[')) {
    text.remove_prefix(1);
    host = take_until(text, "]");
    if (text.empty()) return false;
    text.remove_prefix(1);
  } else {
    host = take_until(text, ":");
  }
  const auto decoded = percent_decoded(host);
  if (!decoded || (!text.empty() && !text.starts_with(':'))) return false;
  url.host += *decoded;
  if (!text.empty()) url.port += text.substr(1);
  return true;
}

bool read_hosts(std::string_view text, DatabaseUrl& url) {
  while (true) {
    if (!read_host(take_until(text, ","), url)) return false;
    if (text.empty()) break;
    text.remove_prefix(1);
    url.host += ',';
    url.port += ',';
  }
  if (url.port.find_first_not_of(',') == std::string::npos) url.port.clear();
  return are_ports(url.port);
}

bool read_login(std::string_view text, DatabaseUrl& url) {
  const auto user = percent_decoded(take_until(text, ":"));
  const auto password = percent_decoded(text.empty() ? text : text.substr(1));
  if (!user || !password) return false;
  url.user = *user;
  url.password = *password;
  return true;
}

void set_parameter(DatabaseUrl& url, std::string name, std::string value) {
  if (name == "host") {
    url.host = std::move(value);
  } else if (name == "port") {
    url.port = std::move(value);
  } else if (name == "user") {
    url.user = std::move(value);
  } else if (name == "password") {
    url.password = std::move(value);
  } else {
    url.parameters.emplace_back(std::move(name), std::move(value));
  }
}

std::optional<Problem> read_parameters(std::string_view text, DatabaseUrl& url) {
  std::vector<std::string> seen;
  while (!text.empty()) {
    std::string_view pair = take_until(text, "&");
    if (!text.empty()) text.remove_prefix(1);
    const auto name = percent_decoded(take_until(pair, "="));
    if (!name || pair.empty()) return unreadable("a parameter without a value");
    const auto value = percent_decoded(pair.substr(1));
    if (!value) return unreadable("a bad percent code in a parameter");
    const bool known = std::find(kParameters.begin(), kParameters.end(), *name) != kParameters.end();
    if (!known) return unreadable("a parameter that is not known (see the connection parameters of libpq 15)");
    if (std::find(seen.begin(), seen.end(), *name) != seen.end()) {
      return problem("the database URL gives the parameter " + *name + " twice; give it once");
    }
    seen.push_back(*name);
    set_parameter(url, *name, *value);
  }
  return std::nullopt;
}

std::optional<std::string_view> without_scheme(std::string_view text) {
  for (const std::string_view scheme : {"postgresql://", "postgres://"}) {
    if (text.starts_with(scheme)) return text.substr(scheme.size());
  }
  return std::nullopt;
}

}  // namespace

util::Expected<DatabaseUrl, DatabaseUrlError> parse_database_url(std::string_view text) {
  auto rest = without_scheme(text);
  if (!rest) return problem("a database URL begins with postgresql://; write it as " + std::string(kExample));
  const bool has_control = std::any_of(text.begin(), text.end(), [](char c) { return c >= 0 && c <= ' '; });
  if (text.size() > kMaxUrlBytes || has_control) return unreadable("spaces or control characters, or is too long");
  DatabaseUrl url;
  std::string_view authority = take_until(*rest, "/?#");
  // The last one: an "@" in the password may have been left as it is.
  if (const auto at = authority.rfind('@'); at != std::string_view::npos) {
    if (!read_login(authority.substr(0, at), url)) return unreadable("a bad percent code in the user or the password");
    authority.remove_prefix(at + 1);
  }
  if (!read_hosts(authority, url)) return unreadable("a host or a port that cannot be read");
  if (rest->starts_with('/')) {
    rest->remove_prefix(1);
    const std::string_view name = take_until(*rest, "?#");
    const auto decoded = percent_decoded(name);
    // Then this is the rest of a password with a "/".
    if (!decoded || name.find_first_of("/@:") != std::string_view::npos)
      return unreadable("a name that cannot be read");
    url.name = *decoded;
  }
  if (rest->starts_with('#')) return unreadable("a stray #");
  if (rest->starts_with('?')) {
    if (auto wrong = read_parameters(rest->substr(1), url)) return *wrong;
  }
  if (!are_ports(url.port)) return unreadable("a port that is not a number from 1 to 65535");
  if (url.name.empty()) return problem("the database URL names no database; write it as " + std::string(kExample));
  return url;
}

std::string redacted(const DatabaseUrl& url) {
  std::string out = "postgresql://";
  if (!url.user.empty() || !url.password.empty()) {
    out += percent_encoded(url.user, "");
    if (!url.password.empty()) out += ":" + std::string(kHidden);
    out += '@';
  }
  // Several hosts, an address in brackets and a folder are all clearer as parameters.
  const bool simple = url.host.find_first_of(",:/") == std::string::npos && url.port.find(',') == std::string::npos;
  if (simple) out += percent_encoded(url.host, "") + (url.port.empty() ? "" : ":" + url.port);
  out += "/" + percent_encoded(url.name, "");
  char mark = '?';
  const auto add = [&](std::string_view name, std::string_view value) {
    out += mark;
    out += std::string(name) + "=" + (is_secret(name) ? std::string(kHidden) : percent_encoded(value, "/,:"));
    mark = '&';
  };
  if (!simple) add("host", url.host);
  if (!simple && !url.port.empty()) add("port", url.port);
  for (const auto& [name, value] : url.parameters) add(name, value);
  return out;
}

std::string redact(std::string_view message, const DatabaseUrl& url) {
  std::string out(message);
  const auto hide = [&](const std::string& secret) {
    if (secret.empty()) return;
    for (auto at = out.find(secret); at != std::string::npos; at = out.find(secret, at + kHidden.size())) {
      out.replace(at, secret.size(), kHidden);
    }
  };
  hide(url.password);
  for (const auto& [name, value] : url.parameters) {
    if (is_secret(name)) hide(value);
  }
  return out;
}

}  // namespace spv::store::postgres
