// What was asked of the commands that spend; part of cli/options/options.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options/sync_options.h"

namespace spv::cli {

/// What every command that makes a transaction takes.
struct SpendOptions {
  SyncOptions sync;
  std::optional<std::string> fee_rate;  // sat/vB; none: what the network asks for
  bool dry_run = false;
  bool no_broadcast = false;
  bool yes = false;
  std::string psbt;  // write an unsigned PSBT here; empty: sign and send
  int psbt_version = 0;
  bool allow_high_fee = false;
  bool allow_low_fee = false;
  std::string passphrase_file;  // empty: the terminal
};
struct SendOptions {
  SpendOptions spend;
  std::vector<std::string> payments;  // ADDRESS AMOUNT ..., or one URI
  bool subtract_fee = false;
  std::vector<std::string> coins;
  std::optional<std::string> change;
  bool unconfirmed = false;
  std::optional<std::string> label;
};
struct BumpOptions {
  SpendOptions spend;
  std::string txid;
};
struct CancelOptions {
  SpendOptions spend;
  std::string txid;
};
struct CpfpOptions {
  SpendOptions spend;
  std::string txid;
};
struct BroadcastOptions {
  SyncOptions sync;
  std::string what;  // hex, or a file; "-": stdin
};
struct FeesOptions {
  SyncOptions sync;
};
/// `psbt create` takes what `send` takes.
struct PsbtCreateOptions {
  SendOptions send;
  std::string out;  // empty: stdout
};
struct PsbtDecodeOptions {
  std::string file;  // "-": stdin
};
struct PsbtSignOptions {
  std::string file;
  std::string out;  // empty: stdout
  bool yes = false;
  bool allow_high_fee = false;
  std::string passphrase_file;  // empty: the terminal
};
struct PsbtCombineOptions {
  std::vector<std::string> files;
  std::string out;
};
struct PsbtFinalizeOptions {
  std::string file;
  std::string out;
};
struct PsbtExtractOptions {
  std::string file;
  std::string out;
};

}  // namespace spv::cli
