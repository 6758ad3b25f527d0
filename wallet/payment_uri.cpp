#include "wallet/payment_uri.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include <utf8proc.h>

#include "chain/transaction.h"

namespace spv::wallet {
namespace {

constexpr std::string_view kScheme = "bitcoin:";
constexpr std::size_t kMaxUriLength = 4'096;
constexpr std::size_t kDecimals = 8;
constexpr std::string_view kHexDigits = "0123456789ABCDEF";

util::Unexpected<PaymentUriError> uri_error(std::string message) {
  return util::Unexpected{PaymentUriError{std::move(message)}};
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool is_decimal(char c) { return c >= '0' && c <= '9'; }
bool is_letter_or_digit(char c) { return is_decimal(c) || (lower(c) >= 'a' && lower(c) <= 'z'); }

std::optional<unsigned> hex_value(char c) {
  if (is_decimal(c)) return static_cast<unsigned>(c - '0');
  if (lower(c) >= 'a' && lower(c) <= 'f') return static_cast<unsigned>(lower(c) - 'a' + 10);
  return std::nullopt;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (is_letter_or_digit(c) || c == '-' || c == '.' || c == '_' || c == '~') {
      out.push_back(c);
      continue;
    }
    const auto byte = static_cast<std::uint8_t>(c);
    out += {'%', kHexDigits[byte >> 4U], kHexDigits[byte & 0xFU]};
  }
  return out;
}

bool is_utf8(std::string_view text) {
  const auto* at = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  auto left = static_cast<utf8proc_ssize_t>(text.size());
  while (left > 0) {
    utf8proc_int32_t code = 0;
    const auto size = utf8proc_iterate(at, left, &code);
    if (size <= 0) return false;
    at += size;
    left -= size;
  }
  return true;
}

// Nothing where an escape is cut off or not hexadecimal, or the text is not UTF-8.
std::optional<std::string> unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out.push_back(text[i]);
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const auto high = hex_value(text[i + 1]);
    const auto low = hex_value(text[i + 2]);
    if (!high || !low) return std::nullopt;
    out.push_back(static_cast<char>(*high << 4U | *low));
    i += 2;
  }
  if (!is_utf8(out)) return std::nullopt;
  return out;
}

std::vector<std::string_view> parameters_of(std::string_view query) {
  std::vector<std::string_view> out;
  while (!query.empty()) {
    const auto end = std::min(query.find('&'), query.size());
    if (end > 0) out.push_back(query.substr(0, end));
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  return out;
}

// What is wrong, or nothing.
std::optional<std::string> take_parameter(const std::string& name, const std::string& value, PaymentUri& uri) {
  if (name == "amount") {
    uri.amount = parse_btc(value);
    if (!uri.amount) return "invalid amount '" + value + "': write bitcoins, as in 0.5";
  } else if (name == "label") {
    uri.label = value;
  } else if (name == "message") {
    uri.message = value;
  } else if (name.starts_with("req-")) {
    return "it requires '" + name + "', which spv does not support";
  }
  return std::nullopt;
}

}  // namespace

std::optional<chain::Amount> parse_btc(std::string_view text) {
  const auto point = std::min(text.find('.'), text.size());
  const std::string_view whole = text.substr(0, point);
  const std::string_view fraction = text.substr(std::min(point + 1, text.size()));
  if (whole.empty() && fraction.empty()) return std::nullopt;
  if (whole.size() > kDecimals || fraction.size() > kDecimals) return std::nullopt;
  if (!std::ranges::all_of(whole, is_decimal) || !std::ranges::all_of(fraction, is_decimal)) return std::nullopt;
  chain::Amount amount = 0;
  for (const char c : whole) amount = amount * 10 + (c - '0');
  for (std::size_t i = 0; i < kDecimals; ++i) amount = amount * 10 + (i < fraction.size() ? fraction[i] - '0' : 0);
  if (amount > chain::kMaxMoney) return std::nullopt;
  return amount;
}

bool is_payment_uri(std::string_view text) {
  return text.size() >= kScheme.size() && std::ranges::equal(text.substr(0, kScheme.size()), kScheme, {}, lower);
}

util::Expected<PaymentUri, PaymentUriError> parse_payment_uri(std::string_view text) {
  if (text.size() > kMaxUriLength) return uri_error("the URI is longer than 4096 characters");
  if (!is_payment_uri(text)) return uri_error("a payment URI begins with bitcoin:");
  text.remove_prefix(kScheme.size());
  text = text.substr(0, text.find('#'));  // a fragment says nothing here
  const auto mark = std::min(text.find('?'), text.size());
  PaymentUri uri;
  uri.address = text.substr(0, mark);
  if (uri.address.empty() || !std::ranges::all_of(uri.address, is_letter_or_digit)) {
    return uri_error("the URI has no valid address");
  }
  std::set<std::string> seen;
  for (const auto parameter : parameters_of(text.substr(std::min(mark + 1, text.size())))) {
    const auto equals = std::min(parameter.find('='), parameter.size());
    const auto name = unescaped(parameter.substr(0, equals));
    const auto value = unescaped(parameter.substr(std::min(equals + 1, parameter.size())));
    if (!name || !value) return uri_error("the URI has an invalid escape or is not UTF-8");
    if (!seen.insert(*name).second) return uri_error("the URI gives '" + *name + "' twice");
    if (auto wrong = take_parameter(*name, *value, uri)) return uri_error(std::move(*wrong));
  }
  return uri;
}

std::string to_string(const PaymentUri& uri) {
  std::string out = std::string(kScheme) + uri.address;
  char separator = '?';
  const auto add = [&](std::string_view name, const std::string& value) {
    out += std::exchange(separator, '&');
    out += std::string(name) + '=' + value;
  };
  if (uri.amount) {
    const auto digits = std::to_string(*uri.amount % chain::kCoin);
    std::string fraction = std::string(kDecimals - digits.size(), '0') + digits;
    fraction.erase(fraction.find_last_not_of('0') + 1);
    add("amount", std::to_string(*uri.amount / chain::kCoin) + (fraction.empty() ? "" : "." + fraction));
  }
  if (!uri.label.empty()) add("label", escaped(uri.label));
  if (!uri.message.empty()) add("message", escaped(uri.message));
  return out;
}

}  // namespace spv::wallet
