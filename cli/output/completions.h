// Completions for bash, zsh and fish, made from the tree of options.
#pragma once

#include <string>

#include "cli/options/command_info.h"

namespace spv::cli {

std::string bash_completion(const CommandInfo& program);
std::string zsh_completion(const CommandInfo& program);
std::string fish_completion(const CommandInfo& program);

}  // namespace spv::cli
