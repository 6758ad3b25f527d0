// The options of the commands that concern the network: sync, rescan and peers.
#include "cli/options/checks.h"
#include "cli/options/command_tree.h"

namespace spv::cli {
namespace {

void add_sync_peers(CLI::App* app, SyncOptions& sync) {
  app->add_option("--transport", sync.transport, "v1 is plain, v2 encrypted (BIP324), auto tries v2 first")
      ->check(CLI::IsMember({"auto", "v1", "v2"}))
      ->capture_default_str();
  app->add_option("--peers", sync.peers, "how many nodes of the address book to use, without --connect")
      ->check(whole_number(1, 32))
      ->capture_default_str();
  app->add_option("--proxy", sync.proxy, "a SOCKS5 proxy, such as Tor's; nothing goes elsewhere, lookups included")
      ->type_name("HOST[:PORT]");
  app->add_option("--cross-check", sync.cross_check,
                  "which blocks a second node is asked for, so that none can hide a payment: none, those with "
                  "something of yours and one in twenty of the others, or all")
      ->check(CLI::IsMember({"off", "sample", "full"}))
      ->capture_default_str();
}

void add_sync_source(CLI::App* app, SyncOptions& sync) {
  app->add_option("--source", sync.source,
                  "filter: the node picks the transactions by a bloom filter; blocks: it sends whole blocks, which are "
                  "matched here and tell it nothing, best with a node of your own; auto: what takes less time")
      ->check(CLI::IsMember({"filter", "blocks", "auto"}))
      ->capture_default_str();
  app->add_option("--max-download", sync.max_download,
                  "bytes of whole blocks that auto may take from beyond the local network")
      ->check(whole_number(0, std::uint64_t{1} << 50U))
      ->type_name("BYTES")
      ->capture_default_str();
}

void add_sync(CommandTree& tree) {
  auto [app, sync] = tree.add<SyncOptions>("sync", "bring the wallet up to date with the network");
  app->add_option("--connect", sync.connect, "a node to use, and no others; may be repeated")->type_name("HOST[:PORT]");
  app->add_option("--fp-rate", sync.fp_rate, "false positive rate of the filter")
      ->check(number_between(0.0000001, 0.5))
      ->type_name("RATE")
      ->capture_default_str();
  app->add_option("--mempool-wait", sync.mempool_wait, "seconds to wait for unconfirmed transactions; 0: do not ask")
      ->check(number_between(0.0, 3600.0))
      ->type_name("SECONDS")
      ->capture_default_str();
  app->add_flag("--follow", sync.follow, "stay and print what happens");
  app->add_option("--timeout", sync.timeout, "end after this many seconds, with all progress saved")
      ->check(number_between(0.001, 1e7))
      ->type_name("SECONDS");
  add_sync_source(app, sync);
  add_sync_peers(app, sync);
}

void add_rescan(CommandTree& tree) {
  auto [app, rescan] = tree.add<RescanOptions>("rescan", "have the next sync look at blocks again");
  app->add_option("--from", rescan.from, "the first block, not below the wallet's birthday")
      ->check(whole_number(0, 0x7FFF'FFF0))
      ->type_name("HEIGHT")
      ->required();
}

void add_peers(CommandTree& tree) {
  tree.add<PeersOptions>("peers", "list the nodes that are known, and why each is good or bad")
      .app->require_subcommand(0, 1);
  const auto part = [&](const std::string& name, const std::string& description, PeersAction action) {
    auto added = tree.add<PeersOptions>("peers " + name, description, {.action = action, .addresses = {}});
    added.app->add_option("ADDRESS", added.options.addresses, "IP[:PORT], [IPV6]:PORT or an onion address")->required();
    return added;
  };
  part("add", "add nodes, private addresses too", PeersAction::Add);
  auto [app, ban] = part("ban", "never use these nodes until the ban ends", PeersAction::Ban);
  app->add_option("--days", ban.days, "how long")->check(number_between(0.001, 36'500))->capture_default_str();
  part("unban", "end a ban", PeersAction::Unban);
}

}  // namespace

void add_network_commands(CommandTree& tree) {
  add_sync(tree);
  add_rescan(tree);
  add_peers(tree);
}

}  // namespace spv::cli
