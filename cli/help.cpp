#include "cli/help.h"

#include <algorithm>
#include <sstream>

namespace spv::cli {
namespace {

constexpr std::size_t kWidth = 80;
constexpr std::size_t kTextColumn = 28;

/// Breaks a text between words; lines after the first are indented.
std::string wrapped(const std::string& text, std::size_t column) {
  std::istringstream words(text);
  std::string out;
  std::size_t at = column;
  for (std::string word; words >> word;) {
    if (at > column && at + 1 + word.size() > kWidth) {
      out += "\n" + std::string(column, ' ');
      at = column;
    } else if (at > column) {
      out += ' ';
      ++at;
    }
    out += word;
    at += word.size();
  }
  return out;
}

std::string entry(const std::string& heading, const std::string& text) {
  std::string out = "  " + heading;
  if (out.size() + 2 > kTextColumn) {
    out += "\n" + std::string(kTextColumn, ' ');
  } else {
    out.resize(kTextColumn, ' ');
  }
  return out + wrapped(text, kTextColumn) + "\n";
}

std::string option_entries(const std::vector<OptionInfo>& options, bool positional) {
  std::string out;
  for (const auto& option : options) {
    if (option.positional != positional) continue;
    std::string text = option.description;
    if (!option.default_value.empty()) text += " (default " + option.default_value + ")";
    if (option.required && !positional) text += " (required)";
    out += entry(option_heading(option), text);
  }
  return out;
}

const CommandInfo& find_command(const CommandInfo& program, const std::string& name) {
  const CommandInfo* at = &program;
  std::istringstream parts(name);
  for (std::string part; parts >> part;) {
    const auto found =
        std::find_if(at->commands.begin(), at->commands.end(), [&](const auto& each) { return each.name == part; });
    if (found == at->commands.end()) break;  // one that is not for users
    at = &*found;
  }
  return *at;
}

}  // namespace

std::string option_heading(const OptionInfo& option) {
  if (option.positional) return option.value + (option.repeatable ? "..." : "");
  std::string out;
  for (const auto& name : option.names) out += (out.empty() ? "" : ", ") + name;
  return option.value.empty() ? out : out + " " + option.value;
}

std::string usage_line(const CommandInfo& command, const std::string& name) {
  std::string out = name.empty() ? "spv [OPTIONS]" : "spv " + name + " [OPTIONS]";
  if (!command.commands.empty()) out += " COMMAND";
  for (const auto& option : command.options) {
    if (!option.positional) continue;
    out += option.required ? " " + option_heading(option) : " [" + option_heading(option) + "]";
  }
  return out;
}

std::string help_text(const CommandInfo& program, const std::string& command) {
  const CommandInfo& chosen = find_command(program, command);
  const bool whole = &chosen == &program;
  std::string out = "Usage: " + usage_line(chosen, whole ? "" : command) + "\n\n";
  out += wrapped(chosen.description, 0) + "\n";
  if (const auto arguments = option_entries(chosen.options, true); !arguments.empty()) {
    out += "\nArguments:\n" + arguments;
  }
  if (!chosen.commands.empty()) out += "\nCommands:\n";
  for (const auto& each : chosen.commands) out += entry(each.name, each.description);
  out += "\nOptions:\n" + option_entries(chosen.options, false);
  if (whole) {
    out += "\n" +
           wrapped(
               "Every option can also be set by an environment variable (--fp-rate by $SPV_FP_RATE) and in "
               "the config file (fp-rate=0.001, in a section such as [regtest] for one network).",
               0) +
           "\nspv COMMAND --help says more on a command, man spv on all of them.\n";
  } else {
    out += "\nspv --help lists the options of every command, such as --regtest and --json.\n";
  }
  return out;
}

}  // namespace spv::cli
