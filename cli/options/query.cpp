// The options of the commands that only read what is stored, and of those that --help does not list.
#include "cli/options/checks.h"
#include "cli/options/command_tree.h"

namespace spv::cli {
namespace {

void add_history(CommandTree& tree) {
  auto [app, history] = tree.add<HistoryOptions>("history", "the wallet's transactions, newest first");
  app->add_option("--limit", history.limit, "show at most this many")->check(whole_number(1, 1'000'000'000));
  app->add_option("--offset", history.offset, "skip this many of the newest")->check(whole_number(0, 1'000'000'000));
  app->add_flag("--csv", history.csv, "print comma-separated values, for spreadsheets");
}

void add_address(CommandTree& tree) {
  auto [app, address] = tree.add<AddressOptions>("address", "the first unused receive address");
  app->add_flag("--new", address.advance, "move on to the next one");
  app->add_flag("--change", address.change, "of the change chain");
  app->add_flag("--qr", address.qr, "draw it as a QR code too");
  app->add_option("--type", address.type, "address type, if the wallet has several")
      ->check(CLI::IsMember({"pkh", "sh-wpkh", "wpkh", "tr"}));
  app->add_option("--amount", address.amount, "print a payment URI for this amount: 0.001 (BTC) or 5000sat")
      ->type_name("AMOUNT");
  app->add_option("--label", address.label, "print a payment URI with this label, which the payer sees")
      ->type_name("TEXT");
}

void add_tx(CommandTree& tree) {
  auto [app, tx] = tree.add<TxOptions>("tx", "show a transaction: inputs, outputs, fee, block, proof");
  app->add_option("TXID", tx.txid, "the transaction's id")->required();
}

void add_proofs(CommandTree& tree) {
  auto [app, proof] = tree.add<ProofOptions>("proof", "write a proof that a block holds a transaction");
  app->add_option("TXID", proof.txid, "the transaction's id")->required();
  auto [verify_app, verify] = tree.add<VerifyProofOptions>("verify-proof", "check such a proof offline");
  verify_app->add_option("FILE", verify.file, "the proof, - for stdin")->required();
  verify_app->add_flag("--trust-headers", verify.trust_headers,
                       "go by the work of the headers in the proof, not by the local chain");
}

void add_headers(CommandTree& tree) {
  auto [app, headers] = tree.add<HeadersOptions>("headers", "headers of the stored chain, the last ones unless told");
  app->add_option("--from", headers.from, "the first height")->check(whole_number(0, 0x7FFF'FFF0));
  app->add_option("--count", headers.count, "at most so many")->check(whole_number(1, 100'000))->capture_default_str();
}

// Not in --help: for the build, which makes the man page and the completions.
void add_generate(CommandTree& tree) {
  auto [app, generate] = tree.add<GenerateOptions>("generate", "print the man page or a shell's completions");
  app->add_option("WHAT", generate.what, "man, bash, zsh or fish")
      ->check(CLI::IsMember({"man", "bash", "zsh", "fish"}))
      ->required();
  app->group("");
}

// Not in --help: they only say that this version cannot.
void add_spending(CommandTree& tree) {
  for (const char* name : {"send", "bump", "broadcast"}) {
    auto added = tree.add<SpendOptions>(name, "not in this version", {name});
    added.app->allow_extras()->fallthrough(false)->group("");
  }
}

}  // namespace

void add_query_commands(CommandTree& tree) {
  tree.add<BalanceOptions>("balance", "what the wallet holds");
  add_history(tree);
  tree.add<UtxosOptions>("utxos", "the wallet's coins");
  add_address(tree);
  tree.add<AddressesOptions>("addresses", "all addresses used or handed out");
  add_tx(tree);
  add_proofs(tree);
  tree.add<StatusOptions>("status", "where the wallet and its chain stand");
  add_headers(tree);
  add_generate(tree);
  add_spending(tree);
}

}  // namespace spv::cli
