#include "cli/options/options.h"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "cli/error.h"
#include "cli/options/checks.h"
#include "cli/options/command_tree.h"
#include "cli/options/help.h"
#include "cli/options/sources.h"
#include "cli/options/version.h"

namespace spv::cli {
namespace {

std::filesystem::path default_datadir() {
  const auto from = [](const char* name) -> std::string {
    const char* value = std::getenv(name);
    return value == nullptr || *value != '/' ? "" : value;  // XDG: a relative path is to be ignored
  };
  if (const auto data = from("XDG_DATA_HOME"); !data.empty()) return std::filesystem::path(data) / "spv";
  if (const auto home = from("HOME"); !home.empty()) return std::filesystem::path(home) / ".local/share/spv";
  return {};
}

/// Reads the arguments into the tree of commands, and what they leave open from elsewhere.
class Parser {
 public:
  Parser() { add_common(); }

  CommandInfo describe_all() { return describe(app_); }

  std::variant<Invocation, Information> parse(int argc, const char* const* argv) {
    const auto required = defer_required(app_);
    try {
      auto arguments = with_two_dashes({argv + 1, argv + argc}, option_names(app_));
      if (!arguments.empty() && arguments[0] == "help") {  // git's habit: help COMMAND
        arguments.erase(arguments.begin());
        arguments.emplace_back("--help");
      }
      std::reverse(arguments.begin(), arguments.end());  // as the library wants them
      app_.parse(std::move(arguments));
    } catch (const CLI::CallForHelp&) {
      return Information{help()};
    } catch (const CLI::CallForAllHelp&) {
      return Information{help()};
    } catch (const CLI::CallForVersion&) {
      return Information{json_is_named(argc, argv) ? version_json() : version_text()};
    } catch (const CLI::ExtrasError&) {
      throw UsageError(unexpected_text(describe(app_), chosen_name(), app_.remaining(true)));
    } catch (const CLI::ParseError& error) {
      throw UsageError(usage_text(error) + see_help());
    }
    if (app_.get_subcommands().empty()) throw UsageError("no command given" + see_help());
    fill_from_elsewhere();
    check_required(required);
    finish_common();
    return Invocation{common_, tree_.make(chosen_name())};
  }

 private:
  static bool json_is_named(int argc, const char* const* argv) {
    return std::any_of(argv + 1, argv + argc,
                       [](std::string_view each) { return each == "--json" || each == "-json"; });
  }

  std::string see_help() {
    const std::string name = chosen_name();
    return " (see spv " + name + (name.empty() ? "" : " ") + "--help)";
  }

  std::string help() { return help_text(describe(app_), chosen_name()); }

  // The root, the command, and the command below it.
  std::vector<CLI::App*> chosen_path() {
    std::vector<CLI::App*> path{&app_};
    while (!path.back()->get_subcommands().empty()) path.push_back(path.back()->get_subcommands().front());
    return path;
  }

  // "balance", "filter add"; nothing where no command is given
  std::string chosen_name() {
    const auto path = chosen_path();
    std::string name;
    for (std::size_t i = 1; i < path.size(); ++i) name += (i > 1 ? " " : "") + path[i]->get_name();
    return name;
  }

  // What the command line leaves open comes from the environment, else from the config file.
  void fill_from_elsewhere() {
    const auto path = chosen_path();
    for (CLI::App* app : path) fill_from_environment(*app);
    const bool named_by_user = !config_.empty();
    const auto folder = datadir_.empty() ? default_datadir() : std::filesystem::path(datadir_);
    if (!named_by_user && folder.empty()) return;
    const auto entries =
        read_config(named_by_user ? std::filesystem::path(config_) : folder / "spv.conf", named_by_user);
    if (entries.empty()) return;
    Parser scratch;
    check_config(scratch.app_, entries);
    if (!named_by_user) check_folder_config(entries);
    fill_network_from_config(app_, entries);
    const std::string section(chain::params(chosen_network()).name);
    for (CLI::App* app : path) fill_from_config(*app, entries, section);
  }

  // A data directory may come from elsewhere, on a stick say: to look at it must not run what somebody put into it.
  static void check_folder_config(const std::vector<ConfigEntry>& entries) {
    for (const auto& entry : entries) {
      if (entry.name == "datadir") {
        throw UsageError(entry.where +
                         ": the config file of a data directory cannot set datadir; use --datadir or --config");
      }
      if (entry.name == "exec") {
        throw UsageError(entry.where +
                         ": the config file of a data directory cannot set exec, which runs a command; use --exec, or "
                         "a file that you name with --config");
      }
    }
  }

  void check_required(const std::vector<CLI::Option*>& required) {
    for (CLI::App* app : chosen_path()) {
      const auto mine = app->get_options();
      for (const CLI::Option* option : required) {
        const bool ours = std::find(mine.begin(), mine.end(), option) != mine.end();
        if (ours && option->count() == 0) throw UsageError(option->get_name() + " is required" + see_help());
      }
    }
  }

  void add_common() {
    app_.add_option("--network", network_, "network to use")
        ->type_name("main|testnet|testnet4|signet|regtest")
        ->default_str("testnet4");
    for (const char* name : {"main", "testnet", "testnet4", "signet", "regtest"}) {
      app_.add_flag_callback(
          std::string("--") + name, [this, name] { short_forms_.emplace_back(name); },
          std::string("short for --network ") + name);
    }
    app_.add_option("--datadir", datadir_, "directory for headers and wallets (default: $XDG_DATA_HOME/spv)")
        ->check(not_empty())
        ->type_name("DIR");
    app_.add_option("--database", common_.database, "PostgreSQL database for wallets, instead of files in DIR")
        ->check(not_empty())
        ->type_name("URL");
    app_.add_option("-w,--wallet", common_.wallet, "wallet to use")->type_name("NAME")->capture_default_str();
    app_.add_flag("--json", common_.json, "print JSON");
    app_.add_option("--unit", unit_, "unit of amounts; JSON is always in satoshis")
        ->check(one_of({"btc", "mbtc", "sat"}))
        ->default_str("btc");
    app_.add_option("--log-level", log_level_, "least severe messages to log")
        ->check(one_of({"trace", "debug", "info", "warn", "error"}))
        ->default_str("warn");
    app_.add_option("--log-file", common_.log_file, "write the log to FILE instead of stderr")->type_name("FILE");
    app_.add_option("--config", config_, "config file (default: DATADIR/spv.conf)")
        ->check(not_empty())
        ->type_name("FILE");
  }

  chain::Network chosen_network() {
    for (const auto& name : short_forms_) {
      if (!network_.empty() && network_ != name) {
        throw UsageError("two networks given: " + network_ + " and " + name + "; choose one");
      }
      network_ = name;
    }
    const auto network = chain::parse_network(network_.empty() ? "testnet4" : network_);
    if (!network) {
      throw UsageError("unknown network '" + network_ + "'; use main, testnet, testnet4, signet or regtest");
    }
    return *network;
  }

  void finish_common() {
    common_.network = chosen_network();
    common_.datadir = datadir_.empty() ? default_datadir() : std::filesystem::path(datadir_);
    if (common_.datadir.empty()) throw UsageError("$HOME is not set; use --datadir DIR");
    static const std::map<std::string, util::LogLevel> kLevels{{"trace", util::LogLevel::Trace},
                                                               {"debug", util::LogLevel::Debug},
                                                               {"info", util::LogLevel::Info},
                                                               {"warn", util::LogLevel::Warn},
                                                               {"error", util::LogLevel::Error}};
    if (!log_level_.empty()) common_.log_level = kLevels.at(log_level_);
    static const std::map<std::string, AmountUnit> kUnits{
        {"btc", AmountUnit::Btc}, {"mbtc", AmountUnit::Mbtc}, {"sat", AmountUnit::Sat}};
    if (!unit_.empty()) common_.unit = kUnits.at(unit_);
  }

  CommandTree tree_;
  CLI::App& app_ = tree_.app();
  CommonOptions common_;
  std::string network_;
  std::vector<std::string> short_forms_;
  std::string datadir_;
  std::string config_;
  std::string log_level_;
  std::string unit_;
};

}  // namespace

CommandInfo describe_program() { return Parser().describe_all(); }

std::variant<Invocation, Information> parse_arguments(int argc, const char* const* argv) {
  return Parser().parse(argc, argv);
}

}  // namespace spv::cli
