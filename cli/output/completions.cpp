#include "cli/output/completions.h"

#include <algorithm>
#include <functional>
#include <vector>

namespace spv::cli {
namespace {

constexpr std::string_view kNote = "# Made from spv's options by `spv generate`; not to be edited.\n";

bool is_folder(const OptionInfo& option) { return option.value == "DIR"; }
bool is_file(const OptionInfo& option) { return option.value == "FILE"; }

std::string joined(const std::vector<std::string>& parts, const std::string& separator) {
  std::string out;
  for (const auto& part : parts) out += (out.empty() ? "" : separator) + part;
  return out;
}

std::vector<std::string> option_words(const CommandInfo& command) {
  std::vector<std::string> words;
  for (const auto& option : command.options) words.insert(words.end(), option.names.begin(), option.names.end());
  return words;
}

std::vector<std::string> command_words(const CommandInfo& command) {
  std::vector<std::string> words(command.commands.size());
  std::transform(command.commands.begin(), command.commands.end(), words.begin(),
                 [](const CommandInfo& sub) { return sub.name; });
  return words;
}

/// A bash pattern for an option of a command: 'filter add --fp-rate' | 'filter add -p'.
std::string bash_pattern(const std::string& command, const OptionInfo& option) {
  std::vector<std::string> patterns(option.names.size());
  std::transform(option.names.begin(), option.names.end(), patterns.begin(),
                 [&](const std::string& each) { return '\'' + command + ' ' + each + '\''; });
  return joined(patterns, " | ");
}

/// Calls `use` for each command, with its name ("filter add"), the program itself ("") first.
void for_each_command(const CommandInfo& command, const std::string& name,
                      const std::function<void(const CommandInfo&, const std::string&)>& use) {
  use(command, name);
  for (const auto& sub : command.commands) for_each_command(sub, name.empty() ? sub.name : name + " " + sub.name, use);
}

// --- bash -----------------------------------------------------------------------------------------------------
std::string bash_values(const OptionInfo& option) {
  if (!option.choices.empty()) return "COMPREPLY=($(compgen -W '" + joined(option.choices, " ") + "' -- \"$cur\"))";
  if (is_folder(option)) return "COMPREPLY=($(compgen -d -- \"$cur\"))";
  return is_file(option) ? "COMPREPLY=($(compgen -f -- \"$cur\"))" : "COMPREPLY=()";
}

/// A line of a `case` for each option of the command that takes a value.
std::string bash_value_cases(const CommandInfo& command, const std::string& name) {
  std::string out;
  for (const auto& option : command.options) {
    if (option.value.empty() || option.positional) continue;
    out += "    " + bash_pattern(name, option) + ") " + bash_values(option) + "; return ;;\n";
  }
  return out;
}

/// Names between '@' stand for what put() fills in.
constexpr std::string_view kBashScript = R"(_spv() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command='' word options commands
  COMPREPLY=()
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case " @COMMANDS@ " in
      *" $word "*) [[ -z $command ]] && command=$word && continue ;;
    esac
    [[ " @NESTED@ " == *" $command "* && -n $command && $word != -* ]] && command="$command $word" && break
  done
  case "$command $prev" in
@VALUES@
  esac
  case " $prev" in
@COMMON_VALUES@
  esac
  case "$command" in
@WORDS@
    *) options='' commands='' ;;
  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$options @COMMON_OPTIONS@" -- "$cur"))
  elif [[ -n $commands ]]; then
    COMPREPLY=($(compgen -W "$commands" -- "$cur"))
  else
    COMPREPLY=($(compgen -f -- "$cur"))
  fi
}
complete -o filenames -F _spv spv
)";

/// Replaces the name, which occurs once, by the text.
void put(std::string_view name, const std::string& text, std::string& script) {
  script.replace(script.find(name), name.size(), text);
}

// --- zsh ------------------------------------------------------------------------------------------------------
/// Text between single quotes inside an _arguments specification.
std::string zsh_quoted(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else if (c == '[' || c == ']' || c == ':') {
      out += std::string("\\") + c;
    } else {
      out += c;
    }
  }
  return out;
}

std::string zsh_action(const OptionInfo& option) {
  if (!option.choices.empty()) return "(" + joined(option.choices, " ") + ")";
  if (is_folder(option)) return "_files -/";
  return is_file(option) ? "_files" : " ";
}

std::string zsh_specification(const OptionInfo& option) {
  const std::string action = ":" + zsh_quoted(option.value) + ":" + zsh_action(option);
  if (option.positional) return "'" + std::string(option.repeatable ? "*" : "") + action + "'";
  const std::string tail =
      "'[" + zsh_quoted(option.description) + "]" + (option.value.empty() ? std::string() : action) + "'";
  if (option.names.size() == 1) return (option.repeatable ? "'*'" : "") + option.names[0] + tail;
  return "'(" + joined(option.names, " ") + ")'{" + joined(option.names, ",") + "}" + tail;
}

std::string zsh_arguments(const CommandInfo& command, const std::string& indent) {
  std::string out = "_arguments -s -S";
  for (const auto& option : command.options) out += " \\\n" + indent + "  " + zsh_specification(option);
  return out;
}

std::string zsh_function_name(const std::string& name) {
  std::string out = "_spv";
  for (const char c : name.empty() ? name : "_" + name) out += c == ' ' || c == '-' ? '_' : c;
  return out;
}

// --- fish -----------------------------------------------------------------------------------------------------
std::string fish_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return out + "'";
}

std::string fish_option(const OptionInfo& option, const std::string& condition) {
  std::string out = "complete -c spv" + condition;
  for (const auto& name : option.names) {
    out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  if (!option.choices.empty()) {
    out += " -x -a " + fish_quoted(joined(option.choices, " "));
  } else if (!option.value.empty()) {
    out += is_file(option) || is_folder(option) ? " -r -F" : " -x";
  }
  return out + " -d " + fish_quoted(option.description) + "\n";
}

}  // namespace

std::string bash_completion(const CommandInfo& program) {
  std::vector<std::string> nested;  // commands with commands of their own
  for (const auto& command : program.commands) {
    if (!command.commands.empty()) nested.push_back(command.name);
  }
  std::string values;
  std::string words;
  for_each_command(program, "", [&](const CommandInfo& command, const std::string& name) {
    values += bash_value_cases(command, name);
    words += "    '" + name + "') options='" + joined(option_words(command), " ") + "' commands='" +
             joined(command_words(command), " ") + "' ;;\n";
  });
  std::string script = "# bash completion for spv\n" + std::string(kNote) + std::string(kBashScript);
  put("@COMMANDS@", joined(command_words(program), " "), script);
  put("@NESTED@", joined(nested, " "), script);
  put("@VALUES@\n", values, script);
  put("@COMMON_VALUES@\n", bash_value_cases(program, ""), script);
  put("@WORDS@\n", words, script);
  put("@COMMON_OPTIONS@", joined(option_words(program), " "), script);
  return script;
}

std::string zsh_completion(const CommandInfo& program) {
  std::string out = "#compdef spv\n" + std::string(kNote);
  for_each_command(program, "", [&](const CommandInfo& command, const std::string& name) {
    out += "\n" + zsh_function_name(name) + "() {\n";
    if (command.commands.empty()) {
      CommandInfo all = command;
      for (const auto& option : program.options) {
        if (option.names.back() != "--help" && option.names.back() != "--version") all.options.push_back(option);
      }
      out += "  " + zsh_arguments(all, "  ") + "\n}\n";
      return;
    }
    out += "  local context state state_descr line\n  typeset -A opt_args\n  local -a commands=(\n";
    for (const auto& sub : command.commands) out += "    '" + sub.name + ":" + zsh_quoted(sub.description) + "'\n";
    out +=
        "  )\n  " + zsh_arguments(command, "  ") + " \\\n    '1:command:->command' \\\n    '*::argument:->argument'\n";
    out += "  case $state in\n    command) _describe command commands ;;\n    argument)\n      case $line[1] in\n";
    for (const auto& sub : command.commands) {
      out +=
          "        " + sub.name + ") " + zsh_function_name(name.empty() ? sub.name : name + " " + sub.name) + " ;;\n";
    }
    out += "      esac\n      ;;\n  esac\n}\n";
  });
  return out + "\n_spv \"$@\"\n";
}

std::string fish_completion(const CommandInfo& program) {
  std::string out = "# fish completion for spv\n" + std::string(kNote) + "complete -c spv -f\n";
  for_each_command(program, "", [&](const CommandInfo& command, const std::string& name) {
    const auto space = name.find(' ');
    std::string condition;
    if (!name.empty()) condition = "__fish_seen_subcommand_from " + name.substr(0, space);
    if (space != std::string::npos) condition += "; and __fish_seen_subcommand_from " + name.substr(space + 1);
    const std::string when = condition.empty() ? "" : " -n " + fish_quoted(condition);
    for (const auto& option : command.options) {
      if (!option.positional) {
        out += fish_option(option, when);
      } else if (is_file(option)) {
        out += "complete -c spv" + when + " -F\n";
      }
    }
    const std::string none = "not __fish_seen_subcommand_from " + joined(command_words(command), " ");
    const std::string start = condition.empty() ? none : condition + "; and " + none;
    for (const auto& sub : command.commands) {
      out +=
          "complete -c spv -n " + fish_quoted(start) + " -a " + sub.name + " -d " + fish_quoted(sub.description) + "\n";
    }
  });
  return out;
}

}  // namespace spv::cli
