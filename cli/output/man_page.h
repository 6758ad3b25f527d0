// spv(1), made from the tree of options.
#pragma once

#include <string>

#include "cli/options/command_info.h"

namespace spv::cli {

/// The page in troff.
std::string man_page(const CommandInfo& program, const std::string& version);

}  // namespace spv::cli
