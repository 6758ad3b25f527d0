// The version of the program, as --version prints it.
#pragma once

#include <string_view>

namespace spv::cli {

inline constexpr std::string_view kVersionText = "spv 0.1.0";

}  // namespace spv::cli
