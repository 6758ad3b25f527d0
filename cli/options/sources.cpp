#include "cli/options/sources.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <sstream>

#include "cli/error.h"
#include "cli/options/checks.h"

namespace spv::cli {
namespace {

const std::set<std::string> kNetworkOptions{"network", "main", "testnet", "testnet4", "signet", "regtest"};

/// A long name of the option, or nothing for --help, --version and arguments without a name.
std::string setting_name(const CLI::App& app, const CLI::Option* option) {
  if (option == app.get_help_ptr() || option == app.get_version_ptr() || option->get_lnames().empty()) return {};
  return option->get_lnames().front();
}

template <typename Use>
void for_each_setting(CLI::App& app, Use use) {
  for (CLI::Option* option : app.get_options()) {
    const std::string name = setting_name(app, option);
    if (!name.empty()) use(name, *option);
  }
}

template <typename Use>
void for_each_command(CLI::App& app, Use use) {
  use(app);
  for (CLI::App* sub : app.get_subcommands([](CLI::App*) { return true; })) for_each_command(*sub, use);
}

bool takes_several(const CLI::Option& option) { return option.get_items_expected_max() > 1; }

void give(CLI::Option& option, const std::vector<std::string>& values, const std::string& where) {
  try {
    for (const auto& value : values) option.add_result(value);
    option.run_callback();
  } catch (const CLI::ParseError& error) {
    throw UsageError(where + ": " + usage_text(error));
  }
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

std::vector<ConfigEntry> entries_for(const std::vector<ConfigEntry>& entries, const std::string& section,
                                     const std::string& name) {
  std::vector<ConfigEntry> found;
  for (const auto& entry : entries) {
    if (entry.name == name && entry.section == section) found.push_back(entry);
  }
  if (found.empty() && !section.empty()) return entries_for(entries, "", name);
  return found;
}

void give_entries(CLI::Option& option, const std::vector<ConfigEntry>& found) {
  if (found.empty()) return;
  std::vector<std::string> values;
  values.reserve(found.size());
  for (const auto& entry : found) values.push_back(entry.value);
  give(option, values, found.front().where);
}

void refuse_twice(const std::vector<ConfigEntry>& entries, const ConfigEntry& entry) {
  const auto first = std::find_if(entries.begin(), entries.end(), [&](const ConfigEntry& other) {
    return other.name == entry.name && other.section == entry.section;
  });
  if (first->where != entry.where) {
    throw UsageError(entry.where + ": '" + entry.name + "' is already set at " + first->where);
  }
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string part; std::getline(in, part, separator);) out.push_back(part);
  return out;
}

// "TEXT:{a,b}" is a type name and the choices of its validator.
void read_type(const std::string& type, OptionInfo& info) {
  const auto colon = type.find(":{");
  if (colon != std::string::npos) info.choices = split(type.substr(colon + 2, type.size() - colon - 3), ',');
  info.value = type.substr(0, colon);
  if (info.value.find('|') != std::string::npos) info.choices = split(info.value, '|');
  if (!info.choices.empty()) {
    info.value.clear();
    for (const auto& choice : info.choices) info.value += (info.value.empty() ? "" : "|") + choice;
  }
  const std::map<std::string, std::string> plain{{"TEXT", "VALUE"}, {"UINT", "N"}, {"INT", "N"}, {"FLOAT", "NUMBER"}};
  if (const auto found = plain.find(info.value); found != plain.end()) info.value = found->second;
}

OptionInfo describe_option(const CLI::Option& option) {
  OptionInfo info;
  info.description = option.get_description();
  info.positional = option.get_positional();
  info.required = option.get_required();
  info.repeatable = takes_several(option);
  if (option.get_items_expected_max() > 0) {
    read_type(option.get_type_name(), info);
    info.default_value = option.get_default_str();
  }
  if (info.positional) info.value = option.get_name(true);
  for (const auto& name : option.get_snames()) info.names.push_back("-" + name);
  for (const auto& name : option.get_lnames()) {
    info.names.push_back("--" + name);
    if (name != "help" && name != "version") info.variable = environment_name(name);
  }
  return info;
}

}  // namespace

CommandInfo describe(CLI::App& app) {
  CommandInfo info;
  info.name = app.get_name();
  info.description = app.get_description();
  for (const CLI::Option* option : app.get_options()) info.options.push_back(describe_option(*option));
  for (CLI::App* sub : app.get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); })) {
    info.commands.push_back(describe(*sub));
  }
  return info;
}

std::set<std::string> option_names(CLI::App& app) {
  std::set<std::string> names;
  for_each_command(app, [&](CLI::App& each) {
    for_each_setting(each, [&](const std::string& name, CLI::Option&) { names.insert(name); });
  });
  return names;
}

std::vector<std::string> with_two_dashes(std::vector<std::string> arguments, const std::set<std::string>& names) {
  for (auto& argument : arguments) {
    if (argument == "--") break;
    if (argument.size() < 3 || argument[0] != '-' || argument[1] == '-') continue;
    const std::string name = argument.substr(1, argument.find('=') - 1);
    if (names.contains(name) || name == "help" || name == "version") argument.insert(0, "-");
  }
  return arguments;
}

std::string environment_name(std::string_view option) {
  std::string name = "SPV_";
  for (const char c : option) name += c == '-' ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return name;
}

bool names_network(CLI::App& app) {
  bool named = false;
  for_each_setting(app, [&](const std::string& name, const CLI::Option& option) {
    named = named || (kNetworkOptions.contains(name) && option.count() > 0);
  });
  return named;
}

void fill_from_environment(CLI::App& app) {
  const bool network_named = names_network(app);
  for_each_setting(app, [&](const std::string& name, CLI::Option& option) {
    const std::string variable = environment_name(name);
    const char* value = std::getenv(variable.c_str());
    if (value == nullptr || *value == '\0' || option.count() > 0) return;
    if (network_named && kNetworkOptions.contains(name)) return;
    give(option, takes_several(option) ? words(value) : std::vector<std::string>{value}, "$" + variable);
  });
}

void fill_network_from_config(CLI::App& app, const std::vector<ConfigEntry>& entries) {
  if (names_network(app)) return;
  for_each_setting(app, [&](const std::string& name, CLI::Option& option) {
    if (kNetworkOptions.contains(name)) give_entries(option, entries_for(entries, "", name));
  });
}

void fill_from_config(CLI::App& app, const std::vector<ConfigEntry>& entries, const std::string& section) {
  for_each_setting(app, [&](const std::string& name, CLI::Option& option) {
    if (option.count() > 0 || kNetworkOptions.contains(name)) return;
    give_entries(option, entries_for(entries, section, name));
  });
}

void check_config(CLI::App& tree, const std::vector<ConfigEntry>& entries) {
  std::map<std::string, std::vector<CLI::Option*>> options;
  for_each_command(tree, [&](CLI::App& app) {
    for_each_setting(app, [&](const std::string& name, CLI::Option& option) { options[name].push_back(&option); });
  });
  options.erase("config");
  for (const auto& entry : entries) {
    const auto found = options.find(entry.name);
    if (found == options.end()) {
      throw UsageError(entry.where + ": unknown option '" + entry.name + "' (see spv --help)");
    }
    if (!entry.section.empty() && kNetworkOptions.contains(entry.name)) {
      throw UsageError(entry.where + ": set the network above the sections, not inside one");
    }
    for (CLI::Option* option : found->second) {
      if (!takes_several(*option)) refuse_twice(entries, entry);
      option->clear();
      give(*option, {entry.value}, entry.where);
    }
  }
}

std::vector<CLI::Option*> defer_required(CLI::App& app) {
  std::vector<CLI::Option*> required;
  for_each_command(app, [&](CLI::App& each) {
    for_each_setting(each, [&](const std::string&, CLI::Option& option) {
      if (!option.get_required()) return;
      option.required(false);
      required.push_back(&option);
    });
  });
  return required;
}

}  // namespace spv::cli
