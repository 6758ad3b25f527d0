#include "cli/options/command_tree.h"

namespace spv::cli {

CommandTree::CommandTree()
    : app_("Bitcoin SPV wallet client: finds and verifies your coins without a full node", "spv") {
  app_.require_subcommand(0, 1);
  app_.set_help_flag("-h,--help", "show this help");
  app_.set_version_flag("--version", "", "show the version and the libraries used");
  app_.failure_message(CLI::FailureMessage::simple);
  add_wallet_commands(*this);
  add_spending_commands(*this);
  add_keeping_commands(*this);
  add_network_commands(*this);
  add_query_commands(*this);
  add_filter_commands(*this);
}

CLI::App* CommandTree::add_made(const std::string& name, const std::string& description,
                                std::function<Command()> make) {
  const auto space = name.find(' ');
  CLI::App* parent = space == std::string::npos ? &app_ : app_.get_subcommand(name.substr(0, space));
  CLI::App* sub = parent->add_subcommand(name.substr(space + 1), description);  // npos + 1 is 0
  sub->fallthrough();
  makers_.emplace(name, std::move(make));
  return sub;
}

}  // namespace spv::cli
