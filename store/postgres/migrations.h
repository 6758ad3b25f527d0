// The tables of the database, in numbered steps: what each one adds.
#pragma once

#include <span>
#include <string_view>

namespace spv::store::postgres {

/// Entry n brings a database from version n to n + 1. A step that was released never changes.
std::span<const std::string_view> migrations();

}  // namespace spv::store::postgres
