// The tree of commands that the program reads its arguments with; one function adds one group of commands.
// Includes CLI11, which is slow to compile: include this only where the tree is built or read.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>

#include "cli/options/options.h"

namespace spv::cli {

class CommandTree {
 public:
  /// What a command's options are read into, and where to add them.
  template <typename Options>
  struct Added {
    CLI::App* app;
    Options& options;
  };

  CommandTree();

  CLI::App& app() { return app_; }
  /// Adds a command that is read into Options. A name of two words ("filter add") makes a subcommand of the first.
  template <typename Options>
  Added<Options> add(const std::string& name, const std::string& description, Options start = {}) {
    const auto options = std::make_shared<Options>(std::move(start));
    return {add_made(name, description, [options] { return Command(*options); }), *options};
  }
  /// Adds a command that is made by a function, once all is read.
  CLI::App* add_made(const std::string& name, const std::string& description, std::function<Command()> make);
  /// What was read for the command of that name, which exists.
  [[nodiscard]] Command make(const std::string& name) const { return makers_.at(name)(); }

 private:
  CLI::App app_;
  std::map<std::string, std::function<Command()>> makers_;
};

/// create, restore, watch, list, passphrase, descriptors
void add_wallet_commands(CommandTree& tree);
/// label, labels, rename, delete, backup, set
void add_keeping_commands(CommandTree& tree);
/// send, bump, cancel, cpfp, broadcast, psbt, fees
void add_spending_commands(CommandTree& tree);
/// sync, wait, rescan, peers
void add_network_commands(CommandTree& tree);
/// balance, history and the others that only read what is stored
void add_query_commands(CommandTree& tree);
/// filter and its subcommands
void add_filter_commands(CommandTree& tree);

/// Which peers to connect to and how, for a command that is not about the sync itself.
void add_peer_options(CLI::App* app, SyncOptions& sync);

}  // namespace spv::cli
