// `spv tx`: one transaction of the wallet: what it means to the wallet, its block, and whether its proof is stored.
#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/output/amount.h"
#include "cli/output/report.h"
#include "cli/wallet/find_transaction.h"
#include "cli/wallet/wallet_file.h"
#include "report/history.h"
#include "report/transaction.h"
#include "util/hex.h"
#include "wallet/address.h"
#include "wallet/virtual_size.h"

namespace spv::cli {
namespace {

using report::ShownTx;
using report::spent_output;

std::string confirmed_text(const wallet::HistoryEntry& entry) {
  return fmt::format("confirmed, {} confirmation{}", entry.confirmations, entry.confirmations == 1 ? "" : "s");
}

void print_facts(const ShownTx& shown, AmountUnit unit) {
  const wallet::TxRecord& record = shown.record;
  const wallet::HistoryEntry& entry = shown.entry;
  const auto& confirmation = record.confirmation;
  Table facts({{"", false}, {"", false, Narrow::Fold}});
  facts.add({"transaction", util::to_string(record.txid)});
  if (!shown.label.empty()) facts.add({"label", shown.label});
  facts.add({"status", confirmation ? confirmed_text(entry) : status_text(entry)});
  if (const auto text = sending_text(entry)) facts.add({"sent", *text});
  if (entry.replaced_by) facts.add({"replaced by", util::to_string(*entry.replaced_by)});
  if (confirmation) {
    facts.add({"block", fmt::format("{}  {}", confirmation->block.height, util::to_string(confirmation->block.hash))});
  }
  facts.add({"time", local_time(report::time_of(entry))});
  facts.add({"amount", change_text(entry.net, unit)});
  if (entry.fee) {
    const auto rate = fee_rate_of(shown);
    facts.add({"fee", amount_with_unit(*entry.fee, unit) + (rate ? fmt::format(" ({:.1f} sat/vB)", *rate) : "")});
  }
  if (const auto size = wallet::virtual_size(record.tx)) facts.add({"size", fmt::format("{} vB", *size)});
  facts.add({"proof", record.proof.empty() ? "not stored" : "stored (spv proof exports it)"});
  facts.print();
}

void print_parts(const ShownTx& shown, AmountUnit unit) {
  const auto mark = [&](const chain::TxOutput* output) {
    return output != nullptr && shown.wallet.key_of(output->script_pubkey) ? "yours" : "";
  };
  Table parts({{"", false},
               {std::string(unit_name(unit)), true},
               {"", false},
               {"address or outpoint", false, Narrow::Shorten}});
  for (const auto& input : shown.record.tx.inputs) {
    const auto* spent = spent_output(shown.wallet, input.previous);
    parts.add({"in", spent == nullptr ? "?" : amount_text(spent->value, unit), mark(spent),
               util::to_string(input.previous.txid) + ":" + std::to_string(input.previous.index)});
  }
  for (const auto& output : shown.record.tx.outputs) {
    const auto address = wallet::address_of_script(output.script_pubkey, shown.params);
    parts.add({"out", amount_text(output.value, unit), mark(&output),
               address ? *address : "script " + util::to_hex(output.script_pubkey)});
  }
  parts.print();
}

}  // namespace

ExitCode run(const CommonOptions& common, const TxOptions& options) {
  OpenWallet open = open_wallet(common, Access::Read);
  const auto& record = find_transaction(open.wallet, options.txid);
  const ShownTx shown{open.wallet, record, *open.wallet.entry(record.txid), chain::params(common.network),
                      report::LabelBook(open.stored->labels()).of_tx(record.txid)};
  if (common.json) {
    print_json(transaction_json(shown));
    return ExitCode::Done;
  }
  print_facts(shown, common.unit);
  print_line("");
  print_parts(shown, common.unit);
  return ExitCode::Done;
}

}  // namespace spv::cli
