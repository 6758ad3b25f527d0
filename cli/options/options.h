// What was asked for on the command line, as values. The tree of commands is in
// options/command_tree.h, so that this header does not need CLI11.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <spv/client.h>
#include <string>
#include <variant>
#include <vector>

#include "chain/params.h"
#include "cli/options/amount_unit.h"
#include "cli/options/command_info.h"
#include "cli/options/filter_options.h"
#include "cli/options/keeping_options.h"
#include "cli/options/spending_options.h"
#include "cli/options/sync_options.h"
#include "util/log.h"

namespace spv::cli {

struct CommonOptions {
  chain::Network network = chain::Network::Testnet4;
  std::filesystem::path datadir;
  std::string database;  // URL; empty: wallets are files in datadir
  std::string wallet = "default";
  bool json = false;
  AmountUnit unit = AmountUnit::Btc;
  util::LogLevel log_level = util::LogLevel::Warn;
  std::string log_file;
};

struct CreateOptions {
  unsigned words = 12;
  std::string script = "wpkh";
  std::vector<std::uint32_t> accounts = {0};
  std::uint32_t gap_limit = 20;
  bool encrypt = false;
  std::string passphrase_file;  // empty: the terminal
};
struct RestoreOptions {
  std::string mnemonic_file;
  std::string bip39_passphrase_file;
  std::string script = "wpkh";
  std::vector<std::uint32_t> accounts = {0};
  std::optional<std::string> birthday;
  std::uint32_t gap_limit = 20;
  bool encrypt = false;
  std::string passphrase_file;  // empty: the terminal
};
struct PassphraseOptions {
  std::string passphrase_file;      // of the one that is set; empty: the terminal
  std::string new_passphrase_file;  // empty: the terminal
  bool remove = false;
};
struct DescriptorsOptions {
  bool with_private_keys = false;
  std::string passphrase_file;  // empty: the terminal
};
struct WatchOptions {
  std::vector<std::string> descriptors;
  std::optional<std::string> xpub;
  std::optional<std::string> script;
  std::vector<std::string> addresses;
  std::optional<std::string> birthday;
  std::optional<std::uint32_t> gap_limit;
  std::string descriptors_file;  // a listdescriptors document; "-": stdin; empty: none
  bool add = false;              // to a wallet that is there
};
struct WaitOptions {
  SyncOptions sync;
  std::string target;  // a txid or an address
  std::uint32_t confirmations = 1;
  std::optional<std::string> amount;
};
struct ServeOptions {
  /// It stays: an answer that comes later is not missed.
  SyncOptions sync{.mempool_wait = 5};
  std::string listen = "127.0.0.1:8338";
  bool allow_remote = false;
  std::vector<std::string> hosts;
  std::string token_file;  // empty: serve.token of the network's folder
  std::vector<std::string> webhooks;
  std::string webhook_key_file;  // empty: nothing is signed
  double keep_days = 90;         // events
  std::string electrum;          // HOST:PORT; empty: no Electrum clients
  std::string electrum_cert;     // empty: no TLS
  std::string electrum_key;
  std::string electrum_unknown = "error";  // or "empty"
};
struct RescanOptions {
  chain::Height from = 0;
};
enum class PeersAction { List, Add, Ban, Unban };
struct PeersOptions {
  PeersAction action = PeersAction::List;
  std::vector<std::string> addresses;
  double days = 1;  // of a ban
};
struct BalanceOptions {};
struct HistoryOptions {
  std::optional<std::size_t> limit;
  std::size_t offset = 0;
  bool csv = false;
};
struct UtxosOptions {};
struct AddressOptions {
  bool advance = false;
  bool change = false;
  bool qr = false;
  std::string type;                   // pkh, sh-wpkh, wpkh, tr; empty: the first chain
  std::optional<std::string> amount;  // of a payment URI, as label
  std::optional<std::string> label;
};
struct AddressesOptions {};
struct TxOptions {
  std::string txid;
};
struct ProofOptions {
  std::string txid;
};
struct VerifyProofOptions {
  std::string file;  // "-": stdin
  bool trust_headers = false;
};
struct StatusOptions {};
struct ListOptions {
  bool names = false;
};
struct HeadersOptions {
  std::optional<chain::Height> from;
  chain::Height count = 10;
};

/// Text made from the tree of options: the man page or a shell's completions.
struct GenerateOptions {
  std::string what;
};
/// What a shell may complete a word to, one a line: "wallets" or "txids".
struct CompleteOptions {
  std::string what;
  std::string prefix;
};

using Command = std::variant<
    CreateOptions, RestoreOptions, WatchOptions, PassphraseOptions, DescriptorsOptions, SyncOptions, BalanceOptions,
    HistoryOptions, UtxosOptions, AddressOptions, AddressesOptions, StatusOptions, ListOptions, RescanOptions,
    HeadersOptions, PeersOptions, FilterDesignOptions, FilterCreateOptions, FilterAddOptions, FilterExistsOptions,
    FilterUnionOptions, FilterIntersectOptions, FilterInspectOptions, FilterMeasureOptions, TxOptions, ProofOptions,
    VerifyProofOptions, GenerateOptions, CompleteOptions, LabelOptions, LabelsOptions, RenameOptions, DeleteOptions,
    BackupOptions, ExportOptions, ImportOptions, SetOptions, WaitOptions, SendOptions, BumpOptions, CancelOptions,
    CpfpOptions, BroadcastOptions, FeesOptions, PsbtCreateOptions, PsbtDecodeOptions, PsbtSignOptions,
    PsbtCombineOptions, PsbtFinalizeOptions, PsbtExtractOptions, FreezeOptions, AbandonOptions, ServeOptions>;

struct Invocation {
  CommonOptions common;
  Command command;
};

/// The text of --help or --version: print it and end well.
struct Information {
  std::string text;
};

/// All commands and options, for help, man page and completions.
CommandInfo describe_program();

/// Reads the arguments; throws UsageError (cli/error.h) with a sentence on what is wrong.
std::variant<Invocation, Information> parse_arguments(int argc, const char* const* argv);

}  // namespace spv::cli
