#include "serve/live/webhook_url.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "util/hash.h"
#include "util/hex.h"

namespace spv::serve {
namespace {

constexpr std::size_t kMostUrlBytes = 2'048;
constexpr std::size_t kMostUrls = 16;
constexpr std::size_t kConsumerBytes = 16;

util::Unexpected<std::string> wrong(std::string_view why) {
  return util::Unexpected{"not a URL for a webhook: " + std::string(why)};
}

/// What a URL may be made of; anything else has to be percent-encoded.
bool is_url_character(char c) { return c > 0x20 && c < 0x7F && c != '"' && c != '<' && c != '>' && c != '\\'; }

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
}

bool is_ipv6_character(char c) {
  return (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || (c >= '0' && c <= ':') || c == '.';
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port == 0) return std::nullopt;
  return port;
}

/// The host at the front of "host:port"; the rest stays.
std::optional<std::string> take_host(std::string_view& authority) {
  const bool is_ipv6 = authority.starts_with('[');
  const auto end = is_ipv6 ? authority.find(']') : std::min(authority.find(':'), authority.size());
  if (end == std::string_view::npos) return std::nullopt;
  std::string host(authority.substr(is_ipv6 ? 1 : 0, is_ipv6 ? end - 1 : end));
  authority.remove_prefix(is_ipv6 ? end + 1 : end);
  if (host.empty() || !std::ranges::all_of(host, is_ipv6 ? is_ipv6_character : is_name_character)) return std::nullopt;
  return host;
}

}  // namespace

std::string WebhookUrl::authority() const {
  const std::string name = host.find(':') == std::string::npos ? host : "[" + host + "]";
  return port == (is_https ? 443 : 80) ? name : name + ":" + std::to_string(port);
}

std::string WebhookUrl::consumer() const {
  const auto hash = util::sha256(util::as_bytes(text));
  return "webhook." + util::to_hex(hash.view().first(kConsumerBytes));
}

util::Expected<WebhookUrl, std::string> parse_webhook_url(std::string_view text) {
  if (text.size() > kMostUrlBytes) return wrong("it is longer than 2048 characters");
  if (!std::ranges::all_of(text, is_url_character)) return wrong("it has a space or another character to be encoded");
  WebhookUrl url;
  url.text = text;
  url.is_https = text.starts_with("https://");
  if (!url.is_https && !text.starts_with("http://")) return wrong("it must begin with https:// or http://");
  if (text.find('#') != std::string_view::npos) return wrong("it has a fragment (#)");
  text.remove_prefix(url.is_https ? 8 : 7);
  const auto end = std::min(text.find_first_of("/?"), text.size());
  std::string_view authority = text.substr(0, end);
  url.target = text.substr(end);
  if (!url.target.starts_with('/')) url.target.insert(0, "/");
  if (authority.find('@') != std::string_view::npos) {
    return wrong(
        "it has a user name or password, which other users can see; put a secret into the path instead, or "
        "check the signature (--webhook-key-file)");
  }
  auto host = take_host(authority);
  if (!host) return wrong("it has no valid host");
  url.host = std::move(*host);
  url.port = url.is_https ? 443 : 80;
  if (authority.empty()) return url;
  const auto port = authority.starts_with(':') ? parse_port(authority.substr(1)) : std::nullopt;
  if (!port) return wrong("its port is not a number from 1 to 65535");
  url.port = *port;
  return url;
}

util::Expected<std::vector<WebhookUrl>, std::string> parse_webhook_urls(const std::vector<std::string>& texts) {
  if (texts.size() > kMostUrls) return util::Unexpected{std::string("at most 16 webhooks are allowed")};
  std::vector<WebhookUrl> urls;
  for (const auto& text : texts) {
    auto url = parse_webhook_url(text);
    if (!url) return util::Unexpected{url.error()};
    if (std::ranges::find(urls, text, &WebhookUrl::text) != urls.end()) {
      return util::Unexpected{"the webhook at " + url->authority() + " is given twice"};
    }
    urls.push_back(std::move(*url));
  }
  return urls;
}

}  // namespace spv::serve
