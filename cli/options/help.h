// What --help prints: made from the tree of options, 80 columns wide.
#pragma once

#include <string>

#include "cli/options/command_info.h"

namespace spv::cli {

/// Help for the program (no name) or a command: "sync", "filter add". The name must be one of the tree.
std::string help_text(const CommandInfo& program, const std::string& command);
/// What to say of arguments that a command does not take; names the command or option that was meant, if one is near.
std::string unexpected_text(const CommandInfo& program, const std::string& command,
                            const std::vector<std::string>& arguments);
/// "spv sync [OPTIONS]", "spv filter add [OPTIONS] FILE HEX..."
std::string usage_line(const CommandInfo& command, const std::string& name);
/// What an option is for, its default, and whether it is required.
std::string option_text(const OptionInfo& option);
/// "-w, --wallet NAME", or the name of an argument.
std::string option_heading(const OptionInfo& option);

}  // namespace spv::cli
