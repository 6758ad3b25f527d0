#include "serve/http/target.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace spv::serve {
namespace {

constexpr std::size_t kMostParameters = 64;

std::optional<unsigned> hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return std::nullopt;
}

std::optional<std::string> decode(std::string_view text, bool plus_is_blank) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += plus_is_blank && text[i] == '+' ? ' ' : text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const auto high = hex_digit(text[i + 1]);
    const auto low = hex_digit(text[i + 2]);
    if (!high || !low) return std::nullopt;
    decoded += static_cast<char>(*high << 4 | *low);
    i += 2;
  }
  if (!is_clean_text(decoded)) return std::nullopt;
  return decoded;
}

/// The length of the character that begins here, 0 if none does (Unicode 15, table 3-7).
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<std::uint8_t>(text[i]) : 0U; };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7F ? 1 : 0;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) && (first > 0xC2 || byte(1) >= 0xA0) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool is_short = first == 0xE0 && byte(1) < 0xA0;
    const bool is_surrogate = first == 0xED && byte(1) > 0x9F;
    return follows(1) && follows(2) && !is_short && !is_surrogate ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool is_short = first == 0xF0 && byte(1) < 0x90;
    const bool is_beyond = first == 0xF4 && byte(1) > 0x8F;
    return follows(1) && follows(2) && follows(3) && !is_short && !is_beyond ? 4 : 0;
  }
  return 0;
}

/// Calls it with each part, until it says no.
template <typename Take>
bool split(std::string_view text, char separator, Take take) {
  for (;;) {
    const auto end = text.find(separator);
    if (!take(text.substr(0, end))) return false;
    if (end == std::string_view::npos) return true;
    text.remove_prefix(end + 1);
  }
}

bool take_segments(std::string_view path, Target& target) {
  if (path.empty()) return true;
  return split(path, '/', [&](std::string_view part) {
    auto segment = decode(part, false);
    if (!segment || *segment == "." || *segment == ".." || segment->find('/') != std::string::npos) return false;
    target.segments.push_back(std::move(*segment));
    return true;
  });
}

bool take_query(std::string_view query, Target& target) {
  if (query.empty()) return true;
  return split(query, '&', [&](std::string_view part) {
    if (target.query.size() == kMostParameters) return false;
    const auto equals = part.find('=');
    auto name = decode(part.substr(0, equals), true);
    auto value = decode(equals == std::string_view::npos ? std::string_view() : part.substr(equals + 1), true);
    if (!name || !value) return false;
    target.query.emplace_back(std::move(*name), std::move(*value));
    return true;
  });
}

bool is_plain(char c) { return c > ' ' && c <= '~' && c != '#'; }

}  // namespace

bool is_clean_text(std::string_view text) {
  while (!text.empty()) {
    const auto length = character_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

util::Expected<Target, std::string> parse_target(std::string_view text) {
  if (!text.starts_with('/')) return util::Unexpected{std::string("ask for a path that begins with a slash")};
  if (!std::ranges::all_of(text, is_plain))
    return util::Unexpected{std::string("the path has characters that must be percent-encoded")};
  const auto question = text.find('?');
  Target target;
  target.path = text.substr(0, question);
  if (!take_segments(std::string_view(target.path).substr(1), target))
    return util::Unexpected{std::string("the path has a bad percent-encoding or a segment that is not allowed")};
  if (question != std::string_view::npos && !take_query(text.substr(question + 1), target))
    return util::Unexpected{std::string("the query has a bad percent-encoding or too many parameters")};
  return target;
}

}  // namespace spv::serve
