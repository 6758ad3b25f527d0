// Cookies in a request's header.
#pragma once

#include <optional>
#include <string_view>

namespace spv::serve {

/// The value of the first cookie of this name in a Cookie header.
std::optional<std::string_view> find_cookie(std::string_view header, std::string_view name);

}  // namespace spv::serve
