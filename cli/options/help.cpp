#include "cli/options/help.h"

#include <algorithm>
#include <numeric>
#include <sstream>
#include <utility>

#include "cli/options/foreign_names.h"

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
    out += entry(option_heading(option), option_text(option));
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

/// How many letters must be changed, added or left out to make one word the other.
std::size_t distance(const std::string& from, const std::string& to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t changed = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = std::exchange(row[j + 1], std::min({changed, row[j] + 1, row[j + 1] + 1}));
    }
  }
  return row.back();
}

std::string without_dashes(const std::string& name) {
  const auto first = name.find_first_not_of('-');
  return first == std::string::npos ? std::string() : name.substr(first);
}

/// The candidate that the word is a slip of: at most two letters are wrong, and most are right.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
  constexpr std::size_t kLeastLetters = 3;
  constexpr std::size_t kNear = 2;
  const std::string letters = without_dashes(word);
  if (letters.size() < kLeastLetters || letters.size() > 40) return {};
  std::string best;
  std::size_t least = std::min(kNear, (letters.size() - 1) / 2) + 1;
  for (const auto& candidate : candidates) {
    const std::size_t there = distance(letters, without_dashes(candidate));
    if (there < least) best = candidate;
    least = std::min(least, there);
  }
  return best;
}

std::vector<std::string> long_names(const CommandInfo& command) {
  std::vector<std::string> out;
  for (const auto& option : command.options) {
    for (const auto& name : option.names) {
      if (name.starts_with("--")) out.push_back(name);
    }
  }
  return out;
}

std::string see_help(const std::string& command) { return " (see spv" + command + " --help)"; }

std::string unknown_option(const CommandInfo& program, const CommandInfo& chosen, const std::string& argument,
                           const std::string& command) {
  auto candidates = long_names(chosen);
  for (const auto& name : long_names(program)) candidates.push_back(name);
  const std::string near = nearest(argument.substr(0, argument.find('=')), candidates);
  const std::string what = "unknown option '" + argument + "'";
  if (argument == "-v" || argument == "-V") return what + " (see spv --help or spv --version)";
  return what + (near.empty() ? "" : "; did you mean " + near + "?") + see_help(command);
}

std::string unknown_command(const CommandInfo& program, const CommandInfo& chosen, const std::string& argument,
                            const std::string& command) {
  const std::string what = "unknown command '" + argument + "'";
  if (const auto hint = &chosen == &program ? hint_for(argument, program) : ""; !hint.empty()) {
    return what + "; " + hint + see_help("");
  }
  std::vector<std::string> candidates;
  candidates.reserve(chosen.commands.size());
  for (const auto& known : chosen.commands) candidates.push_back(known.name);
  const std::string near = nearest(argument, candidates);
  return what + (near.empty() ? "" : "; did you mean " + near + "?") + see_help(command);
}

}  // namespace

std::string unexpected_text(const CommandInfo& program, const std::string& command,
                            const std::vector<std::string>& arguments) {
  const CommandInfo& chosen = find_command(program, command);
  const std::string first = arguments.empty() ? "" : arguments.front();
  const std::string name = command.empty() ? "" : " " + command;
  if (first.starts_with('-')) return unknown_option(program, chosen, first, name);
  if (chosen.commands.empty()) return "unexpected argument '" + first + "'" + see_help(name);
  return unknown_command(program, chosen, first, name);
}

std::string option_text(const OptionInfo& option) {
  std::string text = option.description;
  if (!option.default_value.empty()) text += " (default: " + option.default_value + ")";
  if (option.required && !option.positional) text += " (required)";
  return text;
}

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
               "Options can also be set by environment variables (--fp-rate by $SPV_FP_RATE) and in the config "
               "file (fp-rate=0.001; in a section such as [regtest] for one network only).",
               0) +
           "\nSee spv COMMAND --help for the options of a command, man spv for everything.\n";
  } else {
    out += "\nSee spv --help for the options of all commands, such as --regtest and --json.\n";
  }
  return out;
}

}  // namespace spv::cli
