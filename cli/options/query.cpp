// The options of the commands that only read what is stored, and of those that --help does not list.
#include "cli/options/checks.h"
#include "cli/options/command_tree.h"

namespace spv::cli {
namespace {

void add_history(CommandTree& tree) {
  auto [app, history] = tree.add<HistoryOptions>("history", "list the wallet's transactions, newest first");
  app->add_option("--limit", history.limit, "show at most N transactions")->check(whole_number(1, 1'000'000'000));
  app->add_option("--offset", history.offset, "skip the N newest transactions")->check(whole_number(0, 1'000'000'000));
  app->add_flag("--csv", history.csv, "print comma-separated values, for spreadsheets");
}

void add_address(CommandTree& tree) {
  auto [app, address] = tree.add<AddressOptions>("address", "show the first unused receive address");
  app->add_flag("--new", address.advance, "show the next address");
  app->add_flag("--change", address.change, "show a change address");
  app->add_flag("--qr", address.qr, "also show a QR code");
  app->add_option("--type", address.type, "address type, if the wallet has several")
      ->check(one_of({"pkh", "sh-wpkh", "wpkh", "tr"}));
  app->add_option("--amount", address.amount, "print a payment URI for this amount: 0.001 (BTC) or 5000sat")
      ->type_name("AMOUNT");
  app->add_option("--label", address.label, "print a payment URI with this label, which the payer sees")
      ->type_name("TEXT");
}

void add_tx(CommandTree& tree) {
  auto [app, tx] = tree.add<TxOptions>("tx", "show a transaction: inputs, outputs, fee, block, proof");
  app->add_option("TXID", tx.txid, "transaction ID, or its first 8 or more digits")->required();
}

void add_proofs(CommandTree& tree) {
  auto [app, proof] = tree.add<ProofOptions>("proof", "write a proof that a transaction is in a block");
  app->add_option("TXID", proof.txid, "transaction ID, or its first 8 or more digits")->required();
  auto [verify_app, verify] =
      tree.add<VerifyProofOptions>("verify-proof", "verify a proof offline and show the transaction's outputs");
  verify_app->add_option("FILE", verify.file, "proof file, - for stdin")->required();
  verify_app->add_flag("--trust-headers", verify.trust_headers,
                       "verify against the headers in the proof instead of the local headers");
}

void add_headers(CommandTree& tree) {
  auto [app, headers] = tree.add<HeadersOptions>("headers", "show stored block headers (default: the newest)");
  app->add_option("--from", headers.from, "height of the first header")
      ->check(whole_number(0, 0x7FFF'FFF0))
      ->type_name("HEIGHT");
  app->add_option("--count", headers.count, "show at most N headers")
      ->check(whole_number(1, 100'000))
      ->capture_default_str();
}

// Not in --help: for the build, which makes the man page and the completions.
void add_generate(CommandTree& tree) {
  auto [app, generate] = tree.add<GenerateOptions>("generate", "print the man page or a shell's completions");
  app->add_option("WHAT", generate.what, "man, bash, zsh or fish")
      ->check(one_of({"man", "bash", "zsh", "fish"}))
      ->required();
  app->group("");
}

// Not in --help: for the shells' completions.
void add_complete(CommandTree& tree) {
  auto [app, complete] = tree.add<CompleteOptions>("complete", "print wallet names or txids, one per line");
  app->add_option("WHAT", complete.what, "wallets or txids")->check(one_of({"wallets", "txids"}))->required();
  app->add_option("PREFIX", complete.prefix, "only those that begin with it");
  app->group("");
}

}  // namespace

void add_query_commands(CommandTree& tree) {
  tree.add<BalanceOptions>("balance", "show the balance");
  add_history(tree);
  tree.add<UtxosOptions>("utxos", "list unspent outputs");
  add_address(tree);
  tree.add<AddressesOptions>("addresses", "list addresses used or shown so far");
  add_tx(tree);
  add_proofs(tree);
  tree.add<StatusOptions>("status", "show how far the wallet is synced");
  add_headers(tree);
  add_generate(tree);
  add_complete(tree);
}

}  // namespace spv::cli
