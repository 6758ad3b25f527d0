// The tree of commands and options as plain values: what help, man page and completions are made from.
#pragma once

#include <string>
#include <vector>

namespace spv::cli {

struct OptionInfo {
  std::vector<std::string> names;  // "-w", "--wallet"; none for an argument without a name
  std::string value;               // placeholder for the value: "FILE", "auto|v1|v2"; empty: it takes none
  std::vector<std::string> choices;
  std::string description;
  std::string default_value;
  std::string variable;  // of the environment
  bool positional = false;
  bool required = false;
  bool repeatable = false;
};

struct CommandInfo {
  std::string name;
  std::string description;
  std::vector<OptionInfo> options;
  std::vector<CommandInfo> commands;  // without those that are not for users
};

}  // namespace spv::cli
