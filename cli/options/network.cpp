// The options of the commands that concern the network: sync, wait, serve, rescan and peers.
#include "cli/options/checks.h"
#include "cli/options/command_tree.h"

namespace spv::cli {
namespace {

void add_transport(CLI::App* app, SyncOptions& sync) {
  app->add_option("--transport", sync.transport, "v1: plain; v2: encrypted (BIP324); auto: try v2 first")
      ->check(one_of({"auto", "v1", "v2"}))
      ->capture_default_str();
  app->add_option("--peers", sync.peers, "number of peers to use when --connect is not given")
      ->check(whole_number(1, 32))
      ->capture_default_str();
  app->add_option("--proxy", sync.proxy, "connect through a SOCKS5 proxy, such as Tor; DNS lookups included")
      ->type_name("HOST[:PORT]");
}

void add_connect(CLI::App* app, SyncOptions& sync) {
  app->add_option("--connect", sync.connect, "use only this peer (repeatable)")->type_name("HOST[:PORT]");
}

void add_sync_peers(CLI::App* app, SyncOptions& sync) {
  add_transport(app, sync);
  app->add_option("--cross-check", sync.cross_check,
                  "blocks to fetch from a second peer, so that none can hide a payment; off: none; sample: those "
                  "with your transactions and 1 in 20 of the others; full: all")
      ->check(one_of({"off", "sample", "full"}))
      ->capture_default_str();
}

void add_sync_source(CLI::App* app, SyncOptions& sync) {
  app->add_option("--source", sync.source,
                  "filter: peers send only transactions that match a bloom filter; compact: download small filters of "
                  "all blocks (BIP157) and the blocks that match; blocks: download whole blocks, which reveals nothing "
                  "about the wallet (best with your own node); auto: whichever is faster. Without this option: filter, "
                  "but compact with a node on the local network that offers it, and where no peer offers bloom filters")
      ->check(one_of({"filter", "compact", "blocks", "auto"}))
      ->each([&sync](const std::string&) { sync.source_given = true; })
      ->capture_default_str();
  app->add_option("--max-download", sync.max_download,
                  "most bytes of whole blocks that auto may download from outside the local network")
      ->check(whole_number(0, std::uint64_t{1} << 50U))
      ->type_name("BYTES")
      ->capture_default_str();
}

void add_timeout(CLI::App* app, SyncOptions& sync, const char* description) {
  app->add_option("--timeout", sync.timeout, description)->check(number_between(0.001, 1e7))->type_name("SECONDS");
}

void add_sync_options(CLI::App* app, SyncOptions& sync) {
  add_connect(app, sync);
  app->add_option("--fp-rate", sync.fp_rate, "false positive rate of the bloom filter")
      ->check(number_between(0.0000001, 0.5))
      ->type_name("RATE")
      ->capture_default_str();
  app->add_option("--mempool-wait", sync.mempool_wait, "seconds to wait for unconfirmed transactions; 0: do not wait")
      ->check(number_between(0.0, 3600.0))
      ->type_name("SECONDS")
      ->capture_default_str();
  add_sync_source(app, sync);
  add_sync_peers(app, sync);
}

void add_sync(CommandTree& tree) {
  auto [app, sync] = tree.add<SyncOptions>("sync", "bring the wallet up to date with the network");
  app->add_flag("--follow", sync.follow, "keep running and print events as they happen");
  app->add_option("--exec", sync.exec,
                  "with --follow: run COMMAND with /bin/sh for each event, with the event as JSON on its stdin and "
                  "SPV_EVENT, SPV_TXID and SPV_WALLET set")
      ->check(not_empty())
      ->type_name("COMMAND");
  add_sync_options(app, sync);
  add_timeout(app, sync, "stop after this many seconds and keep the progress");
}

void add_wait(CommandTree& tree) {
  auto [app, wait] = tree.add<WaitOptions>("wait", "wait for a transaction's confirmations or a payment to an address");
  app->add_option("TXID|ADDRESS", wait.target,
                  "a txid (or at least the first 8 digits of a known one), or an address of the wallet")
      ->required();
  app->add_option("--confirmations", wait.confirmations,
                  "number of confirmations to wait for; 0: unconfirmed is enough")
      ->check(whole_number(0, 1'000'000))
      ->type_name("N")
      ->capture_default_str();
  app->add_option("--amount", wait.amount, "minimum amount that the address must have received: BTC (0.001) or 123sat")
      ->type_name("AMOUNT");
  add_sync_options(app, wait.sync);
  add_timeout(app, wait.sync, "give up after this many seconds (exit code 3)");
}

void add_electrum(CLI::App* app, ServeOptions& serve) {
  app->add_option(
         "--electrum", serve.electrum,
         "also answer Electrum, Sparrow and other clients of the Electrum protocol there; port 0: any free one")
      ->type_name("HOST:PORT");
  auto* cert = app->add_option("--electrum-cert", serve.electrum_cert,
                               "certificate (PEM) with which Electrum clients are spoken to by TLS")
                   ->check(not_empty())
                   ->type_name("FILE");
  auto* key = app->add_option("--electrum-key", serve.electrum_key, "the certificate's private key (PEM)")
                  ->check(not_empty())
                  ->type_name("FILE");
  cert->needs(key);
  key->needs(cert);
  app->add_option("--electrum-unknown", serve.electrum_unknown,
                  "what a client gets that asks for an address of no wallet here: an error, or an empty answer, on "
                  "which it may delete its own history")
      ->check(CLI::IsMember({"error", "empty"}))
      ->capture_default_str();
}

void add_serve(CommandTree& tree) {
  auto [app, serve] = tree.add<ServeOptions>("serve", "follow all wallets and serve them over HTTP: API, events, page");
  app->add_option("--listen", serve.listen, "where to listen; port 0: any free one")
      ->type_name("HOST:PORT")
      ->capture_default_str();
  app->add_flag("--allow-remote", serve.allow_remote,
                "allow --listen and --electrum on addresses that other machines reach; HTTP is not encrypted, so put a "
                "TLS proxy in "
                "front");
  app->add_option("--host", serve.hosts,
                  "also answer requests for this host name, such as that of a proxy (repeatable)")
      ->type_name("NAME");
  app->add_option("--token-file", serve.token_file,
                  "file with the token that requests must have; default: serve.token in the network's folder, made at "
                  "the first start")
      ->check(not_empty())
      ->type_name("FILE");
  app->add_option("--webhook", serve.webhooks, "post events to this URL (repeatable)")->type_name("URL");
  app->add_option("--webhook-key-file", serve.webhook_key_file, "file with the key that signs what webhooks post")
      ->check(not_empty())
      ->type_name("FILE");
  app->add_option("--keep-events", serve.keep_days, "days to keep events")
      ->check(number_between(0.0, 1e6))
      ->type_name("DAYS")
      ->capture_default_str();
  add_electrum(app, serve);
  add_sync_options(app, serve.sync);
}

void add_rescan(CommandTree& tree) {
  auto [app, rescan] = tree.add<RescanOptions>("rescan", "scan blocks again at the next sync");
  app->add_option("--from", rescan.from, "first block to scan again, not below the wallet's birthday")
      ->check(whole_number(0, 0x7FFF'FFF0))
      ->type_name("HEIGHT")
      ->required();
}

void add_peers(CommandTree& tree) {
  tree.add<PeersOptions>("peers", "list known peers and their state").app->require_subcommand(0, 1);
  const auto part = [&](const std::string& name, const std::string& description, PeersAction action) {
    auto added = tree.add<PeersOptions>("peers " + name, description, {.action = action, .addresses = {}});
    added.app->add_option("ADDRESS", added.options.addresses, "IP[:PORT], [IPV6]:PORT or onion address")->required();
    return added;
  };
  part("add", "add peers to the address book", PeersAction::Add);
  auto [app, ban] = part("ban", "do not connect to these peers until the ban ends", PeersAction::Ban);
  app->add_option("--days", ban.days, "length of the ban")->check(number_between(0.001, 36'500))->capture_default_str();
  part("unban", "remove a ban", PeersAction::Unban);
}

}  // namespace

void add_peer_options(CLI::App* app, SyncOptions& sync) {
  add_connect(app, sync);
  add_timeout(app, sync, "give up after this many seconds");
  add_transport(app, sync);
}

void add_network_commands(CommandTree& tree) {
  add_sync(tree);
  add_wait(tree);
  add_serve(tree);
  add_rescan(tree);
  add_peers(tree);
}

}  // namespace spv::cli
