// The options of the commands that keep wallets in order: labels, names, copies, settings.
#include "cli/error.h"
#include "cli/options/checks.h"
#include "cli/options/command_tree.h"

namespace spv::cli {
namespace {

void add_label(CommandTree& tree) {
  auto [app, label] = tree.add<LabelOptions>("label", "show or set the label of a transaction, address or coin");
  app->add_option("WHAT", label.what, "TXID, ADDRESS or OUTPOINT (TXID:VOUT)")->required();
  app->add_option("TEXT", label.text, "the label; '' removes it, without TEXT it is shown");
}

void add_labels(CommandTree& tree) {
  const auto lacking = []() -> Command { throw UsageError("labels needs export or import (see spv labels --help)"); };
  tree.add_made("labels", "export and import labels (BIP329)", lacking)->require_subcommand(0, 1);
  auto [export_app, written] = tree.add<LabelsOptions>("labels export", "write all labels to a file");
  export_app->add_option("FILE", written.file, "the new file, - for stdout")->required();
  auto [import_app, read] =
      tree.add<LabelsOptions>("labels import", "read labels from a file", {.import = true, .file = {}});
  import_app->add_option("FILE", read.file, "the file, - for stdin")->required();
}

void add_coins(CommandTree& tree) {
  auto [freeze_app, frozen] = tree.add<FreezeOptions>("freeze", "keep a coin from being spent");
  freeze_app->add_option("OUTPOINT", frozen.outpoint, "TXID:VOUT, see spv utxos")->required();
  auto [unfreeze_app, freed] =
      tree.add<FreezeOptions>("unfreeze", "let a frozen coin be spent again", {.freeze = false, .outpoint = {}});
  unfreeze_app->add_option("OUTPOINT", freed.outpoint, "TXID:VOUT, see spv utxos")->required();
  auto [abandon_app, abandoned] =
      tree.add<AbandonOptions>("abandon", "free the coins of a transaction that no node has");
  abandon_app->add_option("TXID", abandoned.txid, "transaction ID, or its first 8 or more digits")->required();
}

void add_files(CommandTree& tree) {
  auto [rename_app, renamed] = tree.add<RenameOptions>("rename", "rename the wallet");
  rename_app->add_option("NEW", renamed.name, "its new name")->required();
  auto [delete_app, deleted] = tree.add<DeleteOptions>("delete", "delete the wallet from this computer");
  delete_app->add_flag("--yes", deleted.yes, "do not ask");
  auto [backup_app, backup] = tree.add<BackupOptions>("backup", "copy the wallet to a file, also while it is in use");
  backup_app->add_option("FILE", backup.file, "the new file; an existing one is never overwritten")->required();
  auto [export_app, exported] = tree.add<ExportOptions>("export", "write the wallet to a wallet file, for spv import");
  export_app->add_option("FILE", exported.file, "the new file; an existing one is never overwritten")->required();
  auto [import_app, imported] = tree.add<ImportOptions>("import", "make a wallet from a wallet file");
  import_app->add_option("FILE", imported.file, "a file of spv export or spv backup")->required();
}

void add_set(CommandTree& tree) {
  auto [app, set] = tree.add<SetOptions>("set", "change a setting of the wallet");
  app->add_option("--gap-limit", set.gap_limit, "stop after N consecutive unused addresses; can only be raised")
      ->check(whole_number(1, 1000))
      ->type_name("N");
}

}  // namespace

void add_keeping_commands(CommandTree& tree) {
  add_label(tree);
  add_labels(tree);
  add_coins(tree);
  add_files(tree);
  add_set(tree);
}

}  // namespace spv::cli
