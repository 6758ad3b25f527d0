#include "cli/options.h"

#include <charconv>
#include <cstdlib>
#include <limits>
#include <map>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/error.h"
#include "cli/help.h"
#include "cli/option_sources.h"
#include "cli/version.h"

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

CLI::Validator not_empty() {
  return {[](const std::string& text) { return text.empty() ? std::string("it is empty") : std::string(); }, ""};
}

/// Decimal digits only, unlike the argument library, which takes -1 for the largest number of the type.
CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
  return {[least, most](const std::string& text) -> std::string {
            std::uint64_t value = 0;
            const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
            const bool whole = error == std::errc() && end == text.data() + text.size();
            if (whole && value >= least && value <= most) return {};
            return "'" + text + "' is not a whole number from " + std::to_string(least) + " to " + std::to_string(most);
          },
          ""};
}

/// Above 0 and below 1; not-a-number is neither.
CLI::Validator probability() {
  return {[](const std::string& text) -> std::string {
            double value = 0;
            const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
            const bool number = error == std::errc() && end == text.data() + text.size();
            return number && value > 0 && value < 1 ? "" : "'" + text + "' is not a rate above 0 and below 1";
          },
          ""};
}

/// A range that "nan" is not in, unlike the library's.
CLI::Validator number_between(double low, double high) {
  return CLI::Validator(
      [low, high](std::string& text) {
        double value = 0;
        const bool good = CLI::detail::lexical_cast(text, value) && value >= low && value <= high;
        return good ? std::string() : fmt::format("{} is no number from {} to {}", text, low, high);
      },
      "");
}

/// The tree of commands; fills the fields as it parses.
class Parser {
 public:
  Parser() : app_("Bitcoin SPV wallet: finds your coins with BIP37 filters and proves them by headers", "spv") {
    app_.require_subcommand(0, 1);
    app_.set_help_flag("-h,--help", "show what a command does and takes");
    app_.set_version_flag("--version", "", "show the version and what it is built with");
    app_.failure_message(CLI::FailureMessage::simple);
    add_common();
    add_wallets();
    add_secrets();
    add_sync();
    add_peers();
    add_queries();
    add_filter();
    add_spending();
  }

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
      throw UsageError(std::string(error.what()) + " (see spv --help)");
    }
    if (app_.get_subcommands().empty()) throw UsageError("no command is given (see spv --help)");
    fill_from_elsewhere();
    check_required(required);
    finish_common();
    return Invocation{common_, commands_.at(chosen_name())()};
  }

 private:
  using Maker = std::function<Command()>;

  static bool json_is_named(int argc, const char* const* argv) {
    return std::any_of(argv + 1, argv + argc,
                       [](std::string_view each) { return each == "--json" || each == "-json"; });
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
    for (const auto& entry : entries) {
      if (entry.name != "datadir" || named_by_user) continue;
      throw UsageError(entry.where + ": a data directory's own file cannot name another; use --datadir or --config");
    }
    fill_network_from_config(app_, entries);
    const std::string section(chain::params(chosen_network()).name);
    for (CLI::App* app : path) fill_from_config(*app, entries, section);
  }

  void check_required(const std::vector<CLI::Option*>& required) {
    for (CLI::App* app : chosen_path()) {
      const auto mine = app->get_options();
      for (const CLI::Option* option : required) {
        const bool ours = std::find(mine.begin(), mine.end(), option) != mine.end();
        if (ours && option->count() == 0) throw UsageError(option->get_name() + " is required (see spv --help)");
      }
    }
  }

  CLI::App* command(const std::string& name, const std::string& description, Maker make) {
    CLI::App* sub = app_.add_subcommand(name, description);
    sub->fallthrough();
    commands_.emplace(name, std::move(make));
    return sub;
  }

  void add_common() {
    app_.add_option("--network", network_, "which chain")
        ->type_name("main|testnet|testnet4|signet|regtest")
        ->default_str("testnet4");
    for (const char* name : {"testnet", "testnet4", "signet", "regtest"}) {
      app_.add_flag_callback(
          std::string("--") + name, [this, name] { short_forms_.emplace_back(name); },
          std::string("short for --network ") + name);
    }
    app_.add_option("--datadir", datadir_, "where headers and wallets are kept; $XDG_DATA_HOME/spv unless told")
        ->check(not_empty())
        ->type_name("DIR");
    app_.add_option("-w,--wallet", common_.wallet, "the wallet's name")->type_name("NAME")->capture_default_str();
    app_.add_flag("--json", common_.json, "print one JSON document");
    app_.add_option("--log-level", log_level_, "how much to log")
        ->check(CLI::IsMember({"trace", "debug", "info", "warn", "error"}))
        ->default_str("warn");
    app_.add_option("--log-file", common_.log_file, "write the log here instead of to stderr")->type_name("FILE");
    app_.add_option("--config", config_, "file with options; DATADIR/spv.conf unless told")
        ->check(not_empty())
        ->type_name("FILE");
  }

  void add_gap_limit(CLI::App* sub, std::uint32_t& field) {
    sub->add_option("--gap-limit", field, "unused addresses in a row that end the search")
        ->check(whole_number(1, 1000))
        ->capture_default_str();
  }

  void add_keys(CLI::App* sub, std::string& script, std::uint32_t& account) {
    sub->add_option("--script", script, "kind of addresses: BIP44, 49, 84, 86 or all four")
        ->check(CLI::IsMember({"pkh", "sh-wpkh", "wpkh", "tr", "all"}))
        ->capture_default_str();
    sub->add_option("--account", account, "the account in the key path")
        ->check(whole_number(0, 0x7FFF'FFFF))
        ->capture_default_str();
  }

  template <typename Options>
  void add_encryption(CLI::App* sub, Options& options) {
    auto* encrypt = sub->add_flag("--encrypt", options.encrypt, "keep the keys under a passphrase");
    sub->add_option("--passphrase-file", options.passphrase_file, "file with that passphrase; else the terminal asks")
        ->type_name("FILE")
        ->needs(encrypt);
  }

  void add_secrets() {
    auto* passphrase =
        command("passphrase", "set or change the passphrase of the wallet's keys", [this] { return passphrase_; });
    passphrase
        ->add_option("--passphrase-file", passphrase_.passphrase_file,
                     "file with the passphrase that is set; else the terminal asks")
        ->type_name("FILE");
    auto* next = passphrase
                     ->add_option("--new-passphrase-file", passphrase_.new_passphrase_file,
                                  "file with the new one; else the terminal asks")
                     ->type_name("FILE");
    passphrase->add_flag("--remove", passphrase_.remove, "keep the keys without a passphrase from now on")
        ->excludes(next);

    auto* descriptors = command("descriptors", "the wallet's descriptors, as bitcoin-cli importdescriptors takes them",
                                [this] { return descriptors_; });
    auto* secret = descriptors->add_flag("--private", descriptors_.with_private_keys,
                                         "with the private keys; who has them can spend");
    descriptors
        ->add_option("--passphrase-file", descriptors_.passphrase_file,
                     "file with the passphrase; else the terminal asks")
        ->type_name("FILE")
        ->needs(secret);
  }

  void add_wallets() {
    auto* create = command("create", "make a new wallet and show its mnemonic once", [this] { return create_; });
    create->add_option("--words", create_.words, "length of the mnemonic")
        ->check(CLI::IsMember({12, 15, 18, 21, 24}))
        ->capture_default_str();
    add_keys(create, create_.script, create_.account);
    add_gap_limit(create, create_.gap_limit);
    add_encryption(create, create_);

    auto* restore = command("restore", "make a wallet from a BIP39 mnemonic", [this] { return restore_; });
    restore->add_option("--mnemonic-file", restore_.mnemonic_file, "file with the words, - for stdin")
        ->type_name("FILE")
        ->required();
    restore->add_option("--bip39-passphrase-file", restore_.bip39_passphrase_file, "file with the BIP39 passphrase")
        ->type_name("FILE");
    add_keys(restore, restore_.script, restore_.account);
    restore->add_option("--birthday", restore_.birthday, "height or YYYY-MM-DD of the first use; genesis unless told")
        ->type_name("BIRTHDAY");
    add_gap_limit(restore, restore_.gap_limit);
    add_encryption(restore, restore_);

    auto* watch = command("watch", "make a watch-only wallet", [this] { return watch_; });
    watch->add_option("--descriptor", watch_.descriptors, "output descriptor; may be repeated")
        ->type_name("DESCRIPTOR");
    auto* xpub = watch->add_option("--xpub", watch_.xpub, "extended public key of an account")->type_name("XPUB");
    watch->add_option("--script", watch_.script, "kind of addresses that the xpub's keys are for")
        ->check(CLI::IsMember({"pkh", "sh-wpkh", "wpkh", "tr", "all"}))
        ->needs(xpub);
    watch->add_option("--address", watch_.addresses, "address; may be repeated")->type_name("ADDRESS");
    watch->add_option("--birthday", watch_.birthday, "height or YYYY-MM-DD of the first use; genesis unless told")
        ->type_name("BIRTHDAY");
    add_gap_limit(watch, watch_.gap_limit);

    command("list", "list the wallets of the network", [] { return ListOptions{}; });
  }

  void add_sync() {
    auto* sync = command("sync", "bring the wallet up to date with the network", [this] { return sync_; });
    sync->add_option("--connect", sync_.connect, "a node to use, and no others; may be repeated")
        ->type_name("HOST[:PORT]");
    sync->add_option("--fp-rate", sync_.fp_rate, "false positive rate of the filter")
        ->check(number_between(0.0000001, 0.5))
        ->type_name("RATE")
        ->capture_default_str();
    sync->add_option("--mempool-wait", sync_.mempool_wait,
                     "seconds to wait for unconfirmed transactions; 0: do not ask")
        ->check(number_between(0.0, 3600.0))
        ->type_name("SECONDS")
        ->capture_default_str();
    sync->add_flag("--follow", sync_.follow, "stay and print what happens");
    sync->add_option("--timeout", sync_.timeout, "end after this many seconds, with all progress saved")
        ->check(number_between(0.001, 1e7))
        ->type_name("SECONDS");
    sync->add_option("--transport", sync_.transport, "v1 is plain, v2 encrypted (BIP324), auto tries v2 first")
        ->check(CLI::IsMember({"auto", "v1", "v2"}))
        ->capture_default_str();
    sync->add_option("--peers", sync_.peers, "how many nodes of the address book to use, without --connect")
        ->check(whole_number(1, 32))
        ->capture_default_str();
    sync->add_option("--proxy", sync_.proxy, "HOST:PORT of a SOCKS5 proxy; nothing goes elsewhere, lookups included");
    sync->add_option("--cross-check", sync_.cross_check,
                     "which blocks a second node is asked for, so that none can hide a payment: none, those with "
                     "something of yours and one in twenty of the others, or all")
        ->check(CLI::IsMember({"off", "sample", "full"}))
        ->capture_default_str();
    auto* rescan = command("rescan", "have the next sync look at blocks again", [this] { return rescan_; });
    rescan->add_option("--from", rescan_.from, "the first block, not below the wallet's birthday")
        ->check(whole_number(0, 0x7FFF'FFF0))
        ->type_name("HEIGHT")
        ->required();
  }

  void add_peers() {
    CLI::App* peers =
        command("peers", "list the nodes that are known, and why each is good or bad", [] { return PeersOptions{}; });
    peers->require_subcommand(0, 1);
    const auto part = [&](const std::string& name, const std::string& description, PeersAction action) {
      CLI::App* sub = peers->add_subcommand(name, description);
      sub->fallthrough();
      commands_.emplace("peers " + name, [this, action] {
        peers_.action = action;
        return peers_;
      });
      sub->add_option("ADDRESS", peers_.addresses, "IP[:PORT], [IPV6]:PORT or an onion address")->required();
      return sub;
    };
    part("add", "add nodes, private addresses too", PeersAction::Add);
    part("ban", "never use these nodes until the ban ends", PeersAction::Ban)
        ->add_option("--days", peers_.days, "how long")
        ->check(number_between(0.001, 36'500))
        ->capture_default_str();
    part("unban", "end a ban", PeersAction::Unban);
  }

  void add_queries() {
    command("balance", "what the wallet holds", [] { return BalanceOptions{}; });
    auto* history = command("history", "the wallet's transactions, newest first", [this] { return history_; });
    history->add_option("--limit", history_.limit, "show at most this many")->check(whole_number(1, 1'000'000'000));
    history->add_option("--offset", history_.offset, "leave out so many of the newest")
        ->check(whole_number(0, 1'000'000'000));
    command("utxos", "the wallet's coins", [] { return UtxosOptions{}; });
    auto* address = command("address", "the first unused receive address", [this] { return address_; });
    address->add_flag("--new", address_.advance, "move on to the next one");
    address->add_flag("--change", address_.change, "of the change chain");
    address->add_flag("--qr", address_.qr, "draw it as a QR code too");
    command("addresses", "all addresses used or handed out", [] { return AddressesOptions{}; });
    auto* tx = command("tx", "a transaction, its block, and whether its proof is stored", [this] { return tx_; });
    tx->add_option("TXID", tx_.txid, "the transaction's id")->required();
    add_proofs();
    command("status", "where the wallet and its chain stand", [] { return StatusOptions{}; });
    auto* headers =
        command("headers", "headers of the stored chain, the last ones unless told", [this] { return headers_; });
    headers->add_option("--from", headers_.from, "the first height")->check(whole_number(0, 0x7FFF'FFF0));
    headers->add_option("--count", headers_.count, "at most so many")
        ->check(whole_number(1, 100'000))
        ->capture_default_str();
  }

  void add_proofs() {
    auto* proof = command("proof", "write a proof that a block holds a transaction", [this] { return proof_; });
    proof->add_option("TXID", proof_.txid, "the transaction's id")->required();
    auto* verify = command("verify-proof", "check such a proof offline", [this] { return verify_proof_; });
    verify->add_option("FILE", verify_proof_.file, "the proof, - for stdin")->required();
    verify->add_flag("--trust-headers", verify_proof_.trust_headers,
                     "go by the work of the headers in the proof, not by the local chain");
    auto* generate = command("generate", "print the man page or a shell's completions", [this] { return generate_; });
    generate->add_option("WHAT", generate_.what, "man, bash, zsh or fish")
        ->check(CLI::IsMember({"man", "bash", "zsh", "fish"}))
        ->required();
    generate->group("");
  }

  void add_filter() {
    CLI::App* filter = command("filter", "design, make, fill, inspect and measure BIP37 filters", []() -> Command {
      throw UsageError("filter needs one of design, create, add, exists, inspect or measure (see spv filter --help)");
    });
    filter->require_subcommand(0, 1);
    const auto part = [&](const std::string& name, const std::string& description, Maker make) {
      CLI::App* sub = filter->add_subcommand(name, description);
      sub->fallthrough();
      commands_.emplace("filter " + name, std::move(make));
      return sub;
    };
    add_plan(part("design", "size and rates for a plan", [this] { return filter_design_; }), filter_design_);

    auto* create = part("create", "make a file with an empty filter", [this] { return filter_create_; });
    add_plan(create, filter_create_);
    create->add_option("--tweak", filter_create_.tweak, "varies the hash functions")
        ->check(whole_number(0, 0xFFFF'FFFF))
        ->capture_default_str();
    create->add_option("--flags", filter_create_.flags, "what a node adds on a match: none, all or p2pubkey")
        ->check(CLI::IsMember({"none", "all", "p2pubkey"}))
        ->capture_default_str();
    create->add_option("FILE", filter_create_.file, "the file to make")->required();

    auto* add = part("add", "add elements to a filter", [this] { return filter_add_; });
    add->add_option("FILE", filter_add_.file, "the filter")->required();
    add->add_option("HEX", filter_add_.elements, "the elements, such as key hashes")->required();

    auto* exists = part("exists", "tell which elements match a filter", [this] { return filter_exists_; });
    exists->add_option("FILE", filter_exists_.file, "the filter")->required();
    exists->add_option("HEX", filter_exists_.elements, "the elements")->required();

    auto* inspect = part("inspect", "what a filter tells the peer that holds it", [this] { return filter_inspect_; });
    inspect->add_option("FILE", filter_inspect_.file, "the filter; without it, that of the wallet");

    auto* measure =
        part("measure", "fill a filter at random and count false matches", [this] { return filter_measure_; });
    add_plan(measure, filter_measure_);
    measure->add_option("--probes", filter_measure_.probes, "how many other elements to ask for")
        ->check(whole_number(1, 1'000'000'000))
        ->capture_default_str();
    measure->add_option("--seed", filter_measure_.seed, "the same seed gives the same result")
        ->check(whole_number(0, std::numeric_limits<std::uint64_t>::max()))
        ->capture_default_str();
    measure->add_flag("--plot", filter_measure_.plot, "draw the rate against the fill");
    measure->add_option("--svg", filter_measure_.svg, "write that drawing to a file")->type_name("FILE");
  }

  // Not in --help: they only say that this version cannot.
  void add_spending() {
    for (const char* name : {"send", "bump", "broadcast"}) {
      auto* sub = command(name, "not in this version", [name] { return SpendOptions{name}; });
      sub->allow_extras()->fallthrough(false)->group("");
    }
  }

  template <typename Options>
  void add_plan(CLI::App* sub, Options& options) {
    sub->add_option("--elements", options.elements, "how many elements the filter is for")
        ->required()
        ->check(whole_number(1, 10'000'000));
    sub->add_option("--fp-rate", options.fp_rate, "the false positive rate to aim at")
        ->required()
        ->type_name("RATE")
        ->check(probability());
  }

  chain::Network chosen_network() {
    for (const auto& name : short_forms_) {
      if (!network_.empty() && network_ != name) {
        throw UsageError("two networks are named: " + network_ + " and " + name + "; name one");
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
    if (common_.datadir.empty()) throw UsageError("no home directory is set; use --datadir DIR");
    static const std::map<std::string, util::LogLevel> kLevels{{"trace", util::LogLevel::Trace},
                                                               {"debug", util::LogLevel::Debug},
                                                               {"info", util::LogLevel::Info},
                                                               {"warn", util::LogLevel::Warn},
                                                               {"error", util::LogLevel::Error}};
    if (!log_level_.empty()) common_.log_level = kLevels.at(log_level_);
  }

  CLI::App app_;
  std::map<std::string, Maker> commands_;
  CommonOptions common_;
  std::string network_;
  std::vector<std::string> short_forms_;
  std::string datadir_;
  std::string config_;
  std::string log_level_;
  CreateOptions create_;
  RestoreOptions restore_;
  WatchOptions watch_;
  PassphraseOptions passphrase_;
  DescriptorsOptions descriptors_;
  SyncOptions sync_;
  PeersOptions peers_;
  HistoryOptions history_;
  AddressOptions address_;
  HeadersOptions headers_;
  RescanOptions rescan_;
  TxOptions tx_;
  ProofOptions proof_;
  VerifyProofOptions verify_proof_;
  GenerateOptions generate_;
  FilterDesignOptions filter_design_;
  FilterCreateOptions filter_create_;
  FilterAddOptions filter_add_;
  FilterExistsOptions filter_exists_;
  FilterInspectOptions filter_inspect_;
  FilterMeasureOptions filter_measure_;
};

}  // namespace

CommandInfo describe_program() { return Parser().describe_all(); }

std::variant<Invocation, Information> parse_arguments(int argc, const char* const* argv) {
  return Parser().parse(argc, argv);
}

}  // namespace spv::cli
