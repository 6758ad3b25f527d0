// The options of the commands that spend: send, bump, cancel, cpfp, broadcast, fees, and psbt with its parts.
#include "cli/error.h"
#include "cli/options/checks.h"
#include "cli/options/command_tree.h"

namespace spv::cli {
namespace {

void add_fee_options(CLI::App* app, SpendOptions& spend) {
  app->add_option("--fee-rate", spend.fee_rate, "fee rate in sat/vB, decimals allowed (default: see spv fees)")
      ->type_name("SAT_PER_VB");
  app->add_flag("--allow-high-fee", spend.allow_high_fee, "allow a fee above 25% of the amount (never above 0.1 BTC)");
  app->add_flag("--allow-low-fee", spend.allow_low_fee, "allow a fee rate below what peers relay");
}

void add_spend_options(CLI::App* app, SpendOptions& spend) {
  add_fee_options(app, spend);
  app->add_flag("--dry-run", spend.dry_run, "show the transaction and change nothing");
  app->add_flag("--no-broadcast", spend.no_broadcast,
                "store the transaction and reserve its coins, but do not send it");
  app->add_option("--psbt", spend.psbt, "write an unsigned PSBT to FILE instead of signing and sending")
      ->check(not_empty())
      ->type_name("FILE");
  app->add_option("--psbt-version", spend.psbt_version, "version of the PSBT")
      ->check(one_of({"0", "2"}))
      ->capture_default_str();
  app->add_flag("--yes", spend.yes, "do not ask");
  app->add_option("--passphrase-file", spend.passphrase_file, "read the wallet passphrase from FILE, - for stdin")
      ->check(not_empty())
      ->type_name("FILE");
  add_peer_options(app, spend.sync);
}

void add_send_options(CLI::App* app, SendOptions& send) {
  app->add_option("PAYMENT", send.payments,
                  "ADDRESS AMOUNT, repeated for several recipients, or a bitcoin: URI; AMOUNT is BTC (0.001), 123sat "
                  "or all")
      ->required();
  app->add_flag("--subtract-fee", send.subtract_fee, "the recipients pay the fee, in equal parts");
  app->add_option("--coin", send.coins, "spend exactly this coin (repeatable)")->type_name("TXID:VOUT");
  app->add_option("--change", send.change, "send the change to this address")->check(not_empty())->type_name("ADDRESS");
  app->add_flag("--unconfirmed", send.unconfirmed, "also spend unconfirmed coins from others, who can take them back");
  app->add_option("--label", send.label, "label of the transaction")->type_name("TEXT");
}

void add_send(CommandTree& tree) {
  auto [app, send] = tree.add<SendOptions>("send", "pay one or several addresses");
  add_send_options(app, send);
  add_spend_options(app, send.spend);
}

template <typename Options>
void add_replacing(CommandTree& tree, const char* name, const char* description) {
  auto [app, options] = tree.add<Options>(name, description);
  app->add_option("TXID", options.txid, "the transaction; its first 8 digits are enough")->required();
  add_spend_options(app, options.spend);
}

void add_broadcast(CommandTree& tree) {
  auto [app, broadcast] = tree.add<BroadcastOptions>("broadcast", "send a signed transaction to the network");
  app->add_option("HEX|FILE", broadcast.what,
                  "the transaction in hex, or a file with it or a finished PSBT; - for stdin")
      ->required();
  add_peer_options(app, broadcast.sync);
}

void add_fees(CommandTree& tree) {
  auto [app, fees] = tree.add<FeesOptions>("fees", "show the fee rates that peers ask for and recent blocks have paid");
  add_peer_options(app, fees.sync);
}

CLI::Option* add_file(CLI::App* app, std::string& file) {
  return app->add_option("FILE", file, "the PSBT, in base64 or binary; - for stdin")->required();
}

void add_out(CLI::App* app, std::string& out, const char* what) {
  app->add_option("--out", out, what)->check(not_empty())->type_name("FILE");
}

void add_psbt_create(CommandTree& tree) {
  auto [app, create] = tree.add<PsbtCreateOptions>("psbt create", "make an unsigned PSBT of a payment");
  add_send_options(app, create.send);
  add_fee_options(app, create.send.spend);
  app->add_option("--psbt-version", create.send.spend.psbt_version, "version of the PSBT")
      ->check(one_of({"0", "2"}))
      ->capture_default_str();
  add_out(app, create.out, "write it to FILE (default: base64 on stdout)");
}

void add_psbt_sign(CommandTree& tree) {
  auto [app, sign] = tree.add<PsbtSignOptions>("psbt sign", "add this wallet's signatures");
  add_file(app, sign.file);
  add_out(app, sign.out, "write it to FILE (default: base64 on stdout)");
  app->add_flag("--yes", sign.yes, "do not ask");
  app->add_flag("--allow-high-fee", sign.allow_high_fee, "allow a fee above 25% of the amount (never above 0.1 BTC)");
  app->add_option("--passphrase-file", sign.passphrase_file, "read the wallet passphrase from FILE, - for stdin")
      ->check(not_empty())
      ->type_name("FILE");
}

void add_psbt(CommandTree& tree) {
  const auto lacking = []() -> Command {
    throw UsageError("psbt needs create, decode, sign, combine, finalize or extract (see spv psbt --help)");
  };
  tree.add_made("psbt", "partially signed transactions (BIP174, BIP370)", lacking)->require_subcommand(0, 1);
  add_psbt_create(tree);
  auto [decode_app, decode] = tree.add<PsbtDecodeOptions>("psbt decode", "show what a PSBT spends, pays and lacks");
  add_file(decode_app, decode.file);
  add_psbt_sign(tree);
  auto [combine_app, combine] = tree.add<PsbtCombineOptions>("psbt combine", "merge the signatures of several PSBTs");
  combine_app->add_option("FILE", combine.files, "the PSBTs, in base64 or binary; - for stdin")->required();
  add_out(combine_app, combine.out, "write it to FILE (default: base64 on stdout)");
  auto [finalize_app, finalize] = tree.add<PsbtFinalizeOptions>("psbt finalize", "turn the signatures into scripts");
  add_file(finalize_app, finalize.file);
  add_out(finalize_app, finalize.out, "write it to FILE (default: base64 on stdout)");
  auto [extract_app, extract] = tree.add<PsbtExtractOptions>("psbt extract", "print the finished transaction in hex");
  add_file(extract_app, extract.file);
  add_out(extract_app, extract.out, "write the hex to FILE (default: stdout)");
}

}  // namespace

void add_spending_commands(CommandTree& tree) {
  add_send(tree);
  add_replacing<BumpOptions>(tree, "bump", "replace an unconfirmed transaction by one with a higher fee");
  add_replacing<CancelOptions>(tree, "cancel", "replace an unconfirmed transaction by one that pays it all back");
  add_replacing<CpfpOptions>(tree, "cpfp", "speed up an unconfirmed transaction by a child that pays for it");
  add_broadcast(tree);
  add_psbt(tree);
  add_fees(tree);
}

}  // namespace spv::cli
