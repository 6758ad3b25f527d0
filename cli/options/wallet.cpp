// The options of the commands that make wallets and keep their secrets.
#include "cli/options/checks.h"
#include "cli/options/command_tree.h"

namespace spv::cli {
namespace {

void add_gap_limit(CLI::App* app, std::uint32_t& field) {
  app->add_option("--gap-limit", field, "stop after N consecutive unused addresses")
      ->check(whole_number(1, 1000))
      ->capture_default_str();
}

void add_birthday(CLI::App* app, std::optional<std::string>& field) {
  app->add_option("--birthday", field, "first block to scan: a height or YYYY-MM-DD (default: genesis)")
      ->type_name("BIRTHDAY");
}

CLI::Option* add_file(CLI::App* app, const std::string& name, std::string& field, const std::string& description) {
  return app->add_option(name, field, description)->type_name("FILE");
}

void add_keys(CLI::App* app, std::string& script, std::vector<std::uint32_t>& accounts) {
  app->add_option("--script", script,
                  "address type: pkh (BIP44), sh-wpkh (BIP49), wpkh (BIP84), tr (BIP86) or all four")
      ->check(one_of({"pkh", "sh-wpkh", "wpkh", "tr", "all"}))
      ->capture_default_str();
  app->add_option("--account", accounts, "account number in the key path (default: 0; repeatable)")
      ->check(whole_number(0, 0x7FFF'FFFF))
      ->type_name("N");
}

template <typename Options>
void add_encryption(CLI::App* app, Options& options) {
  auto* encrypt = app->add_flag("--encrypt", options.encrypt, "encrypt the keys with a passphrase");
  add_file(app, "--passphrase-file", options.passphrase_file, "read the passphrase from FILE (default: prompt)")
      ->needs(encrypt);
}

void add_create(CommandTree& tree) {
  auto [app, create] = tree.add<CreateOptions>("create", "create a new wallet and show its mnemonic once");
  app->add_option("--words", create.words, "number of words in the mnemonic")
      ->check(one_of({"12", "15", "18", "21", "24"}))
      ->capture_default_str();
  add_keys(app, create.script, create.accounts);
  add_gap_limit(app, create.gap_limit);
  add_encryption(app, create);
}

void add_restore(CommandTree& tree) {
  auto [app, restore] = tree.add<RestoreOptions>("restore", "restore a wallet from a BIP39 mnemonic");
  add_file(app, "--mnemonic-file", restore.mnemonic_file, "read the mnemonic from FILE, - for stdin (default: prompt)");
  add_file(app, "--bip39-passphrase-file", restore.bip39_passphrase_file, "read the BIP39 passphrase from FILE");
  add_keys(app, restore.script, restore.accounts);
  add_birthday(app, restore.birthday);
  add_gap_limit(app, restore.gap_limit);
  add_encryption(app, restore);
}

void add_watch(CommandTree& tree) {
  auto [app, watch] = tree.add<WatchOptions>("watch", "create a watch-only wallet");
  app->add_option("--descriptor", watch.descriptors, "output descriptor (repeatable)")->type_name("DESCRIPTOR");
  auto* xpub = app->add_option("--xpub", watch.xpub, "extended public key of an account")->type_name("XPUB");
  app->add_option("--script", watch.script, "address type of the xpub")
      ->check(one_of({"pkh", "sh-wpkh", "wpkh", "tr", "all"}))
      ->needs(xpub);
  app->add_option("--address", watch.addresses, "address (repeatable)")->type_name("ADDRESS");
  add_file(app, "--descriptors-file", watch.descriptors_file,
           "read the output of bitcoin-cli listdescriptors from FILE, - for stdin");
  app->add_flag("--add", watch.add, "add to an existing watch-only wallet");
  app->add_option("--birthday", watch.birthday,
                  "first block to scan: a height or YYYY-MM-DD (default: earliest timestamp of --descriptors-file, "
                  "else genesis)")
      ->type_name("BIRTHDAY");
  app->add_option("--gap-limit", watch.gap_limit,
                  "stop after N consecutive unused addresses; with --add it can only be raised")
      ->check(whole_number(1, 1000))
      ->default_str("20");
}

void add_list(CommandTree& tree) {
  auto [app, list] = tree.add<ListOptions>("list", "list wallets on this network");
  app->add_flag("--names", list.names, "names only, one per line");
}

void add_passphrase(CommandTree& tree) {
  auto [app, passphrase] = tree.add<PassphraseOptions>("passphrase", "set, change or remove the wallet's passphrase");
  add_file(app, "--passphrase-file", passphrase.passphrase_file,
           "read the current passphrase from FILE (default: prompt)");
  auto* next = add_file(app, "--new-passphrase-file", passphrase.new_passphrase_file,
                        "read the new passphrase from FILE (default: prompt)");
  app->add_flag("--remove", passphrase.remove, "remove the passphrase and store the keys unencrypted")->excludes(next);
}

void add_descriptors(CommandTree& tree) {
  auto [app, descriptors] = tree.add<DescriptorsOptions>(
      "descriptors", "show the wallet's descriptors, in the format of bitcoin-cli importdescriptors");
  auto* secret =
      app->add_flag("--private", descriptors.with_private_keys, "include the private keys: whoever has them can spend");
  add_file(app, "--passphrase-file", descriptors.passphrase_file, "read the passphrase from FILE (default: prompt)")
      ->needs(secret);
}

}  // namespace

void add_wallet_commands(CommandTree& tree) {
  add_create(tree);
  add_restore(tree);
  add_watch(tree);
  add_list(tree);
  add_passphrase(tree);
  add_descriptors(tree);
}

}  // namespace spv::cli
