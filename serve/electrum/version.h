// Version: of the Electrum protocol, such as 1.4.2, and which one a client and this server speak.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/fwd.hpp>

#include "serve/electrum/json_rpc.h"

namespace spv::serve::electrum {

struct Version {
  std::array<std::uint32_t, 3> parts{};
  friend auto operator<=>(const Version&, const Version&) = default;
};
inline constexpr Version kOldest{{1, 4, 0}};
/// What clients speak that do not ask for a version first.
inline constexpr Version kUnasked{{1, 4, 3}};
inline constexpr Version kNewest{{1, 6, 0}};
/// From here on headers come as a list, and a client must ask for the version first.
inline constexpr Version kWithLists{{1, 6, 0}};

/// "1.4" or "1.4.2".
std::optional<Version> parse_version(std::string_view text);
std::string to_string(const Version& version);

/// The newest that both speak, by what a client gives to server.version: a version, or the lowest and highest.
/// `newest`: of ours.
util::Expected<Version, RpcError> negotiate(const boost::json::value* given, const Version& newest);

}  // namespace spv::serve::electrum
