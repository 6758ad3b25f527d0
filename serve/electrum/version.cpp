#include "serve/electrum/version.h"

#include <algorithm>

#include <boost/json.hpp>

#include "util/number.h"

namespace spv::serve::electrum {
namespace {

std::optional<Version> version_in(const boost::json::value& value) {
  const auto* text = value.if_string();
  return text != nullptr ? parse_version({text->data(), text->size()}) : std::nullopt;
}

}  // namespace

std::optional<Version> parse_version(std::string_view text) {
  constexpr std::size_t kLongest = 32;
  if (text.size() > kLongest) return std::nullopt;
  Version out;
  for (std::size_t i = 0; i < out.parts.size(); ++i) {
    const auto dot = text.find('.');
    const auto number = util::parse_number<std::uint32_t>(std::string(text.substr(0, dot)));
    if (!number) return std::nullopt;
    out.parts[i] = *number;
    if (dot == std::string_view::npos) return i == 0 ? std::nullopt : std::optional(out);
    text.remove_prefix(dot + 1);
  }
  return std::nullopt;
}

std::string to_string(const Version& version) {
  std::string out = std::to_string(version.parts[0]) + "." + std::to_string(version.parts[1]);
  return version.parts[2] == 0 ? out : out + "." + std::to_string(version.parts[2]);
}

util::Expected<Version, RpcError> negotiate(const boost::json::value* given, const Version& newest) {
  auto lowest = std::optional(kOldest);
  auto highest = std::optional(kOldest);
  if (given != nullptr) {
    const auto* range = given->if_array();
    if (range != nullptr && range->size() == 2) {
      lowest = version_in((*range)[0]);
      highest = version_in((*range)[1]);
    } else {
      lowest = highest = version_in(*given);
    }
  }
  if (!lowest || !highest) {
    return util::Unexpected{RpcError{kInvalidParams, "protocol_version must be a version or a range of two"}};
  }
  const Version agreed = std::min(*highest, newest);
  if (agreed >= std::max(*lowest, kOldest)) return agreed;
  return util::Unexpected{RpcError{
      kCannot, "unsupported protocol version: this server speaks " + to_string(kOldest) + " to " + to_string(newest)}};
}

}  // namespace spv::serve::electrum
