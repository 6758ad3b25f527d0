// `spv freeze` and `spv unfreeze`: keep a coin from being spent, or no longer. It is what `spendable` of an output's
// label says (BIP329), so other wallets take it over with the labels.
#include <boost/json.hpp>

#include "cli/commands/commands.h"
#include "cli/output/report.h"
#include "cli/wallet/find_transaction.h"
#include "cli/wallet/wallet_file.h"
#include "report/label_book.h"

namespace spv::cli {
namespace {

CommandError no_such_coin(const std::string& text, const std::string& why) {
  return {ExitCode::Failed, "no-such-coin", "coin " + text + " " + why};
}

// TXID:VOUT; of the id its first digits are enough.
chain::OutPoint coin_named(const std::string& text, const wallet::Wallet& wallet) {
  const auto colon = text.rfind(':');
  const std::string digits = colon == std::string::npos ? "" : text.substr(0, colon);
  if (digits.empty() || digits.find(':') != std::string::npos) {
    throw UsageError("invalid outpoint '" + text + "'; use TXID:VOUT");
  }
  const auto& record = find_transaction(wallet, digits);
  const auto outpoint = wallet::parse_outpoint(util::to_string(record.txid) + text.substr(colon));
  if (!outpoint) throw UsageError("invalid outpoint '" + text + "'; use TXID:VOUT");
  const bool has_it = outpoint->index < record.tx.outputs.size();
  if (!has_it || !wallet.key_of(record.tx.outputs[outpoint->index].script_pubkey)) {
    throw no_such_coin(text, "is not in this wallet; see spv utxos");
  }
  return *outpoint;
}

void require_unspent(const chain::OutPoint& coin, const wallet::Wallet& wallet) {
  for (const auto& record : wallet.transactions()) {
    for (const auto& input : record.tx.inputs) {
      if (input.previous != coin || !record.confirmation) continue;
      throw no_such_coin(report::to_text(coin), "is already spent by " + util::to_string(record.txid));
    }
  }
}

}  // namespace

ExitCode run(const CommonOptions& common, const FreezeOptions& options) {
  OpenWallet open = open_wallet(common, Access::Shared);
  const auto coin = coin_named(options.outpoint, open.wallet);
  if (options.freeze) require_unspent(coin, open.wallet);
  const std::string ref = report::to_text(coin);
  const report::LabelBook book(open.stored->labels());
  const auto* label = book.find(wallet::LabelKind::Output, ref);
  const bool was_frozen = label != nullptr && label->spendable == false;
  if (was_frozen != options.freeze) {
    open.stored->change_labels({{.kind = wallet::LabelKind::Output, .ref = ref, .spendable = !options.freeze}});
  }
  if (common.json) {
    print_json({{"txid", util::to_string(coin.txid)}, {"vout", coin.index}, {"frozen", options.freeze}});
  } else if (was_frozen == options.freeze) {
    print_line(ref + (options.freeze ? " is already frozen" : " is not frozen"));
  } else {
    print_line(ref + (options.freeze ? " is frozen: spv does not spend it until spv unfreeze" : " can be spent again"));
  }
  return ExitCode::Done;
}

}  // namespace spv::cli
