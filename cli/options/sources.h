// Where an option's value comes from: the command line, else the environment, else the config file.
// Includes CLI11, which is slow to compile: include this only in options.cpp.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/options/command_info.h"
#include "cli/options/config_file.h"

namespace spv::cli {

/// The long names, without dashes, of all options of a command and those below it; not --help and --version.
std::set<std::string> option_names(CLI::App& app);
/// Core's habit: -regtest or -datadir=DIR becomes --regtest, --datadir=DIR where the name is known, up to a "--".
std::vector<std::string> with_two_dashes(std::vector<std::string> arguments, const std::set<std::string>& names);
/// "fp-rate": "SPV_FP_RATE"
std::string environment_name(std::string_view option);

/// Gives each option that has no value yet that of its environment variable, if that is set and not empty.
/// Several values are separated by spaces. Throws UsageError that names the variable.
void fill_from_environment(CLI::App& app);
/// Gives each option that has no value yet those of the section, else the general ones. Throws UsageError.
void fill_from_config(CLI::App& app, const std::vector<ConfigEntry>& entries, const std::string& section);
/// The same for those options alone that choose the network.
void fill_network_from_config(CLI::App& app, const std::vector<ConfigEntry>& entries);
/// Checks every name and value, including those of other networks and commands. Changes the tree: pass a fresh one.
void check_config(CLI::App& tree, const std::vector<ConfigEntry>& entries);
/// True if one of the options that choose the network has a value.
bool names_network(CLI::App& app);

/// The tree as plain values. A value's name is the option's type name; the choices of a one_of() are kept.
CommandInfo describe(CLI::App& app);

/// Takes the library's own check of required options away; returns them. They may still come from elsewhere.
std::vector<CLI::Option*> defer_required(CLI::App& app);

}  // namespace spv::cli
