// Commands of bitcoin-cli and Electrum, and what does the same here.
#pragma once

#include <string>
#include <string_view>

#include "cli/options/command_info.h"

namespace spv::cli {

/// "use spv balance" for "getbalance"; nothing for a name that neither program has, or that nothing here answers to.
std::string hint_for(std::string_view name, const CommandInfo& program);

}  // namespace spv::cli
