// `spv label`: shows, sets or removes the label of a transaction, an address or a coin.
#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/output/report.h"
#include "cli/output/text.h"
#include "cli/wallet/find_transaction.h"
#include "cli/wallet/wallet_file.h"
#include "report/label_book.h"
#include "report/label_text.h"
#include "report/values.h"
#include "util/number.h"
#include "wallet/address.h"

namespace spv::cli {
namespace {

using wallet::LabelKind;

struct Labelled {
  LabelKind kind = LabelKind::Tx;
  std::string ref;
};

bool is_hex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

// A whole id may be of a transaction that the wallet does not know yet; the first digits of one are of one that it has.
Labelled labelled_by(const std::string& text, const wallet::Wallet& wallet, const chain::NetworkParams& params) {
  if (auto ref = wallet::label_reference(LabelKind::Tx, text, params)) return {LabelKind::Tx, *ref};
  if (auto ref = wallet::label_reference(LabelKind::Output, text, params)) return {LabelKind::Output, *ref};
  const auto colon = text.find(':');
  if (colon != std::string::npos && is_hex(text.substr(0, colon))) {
    const auto txid = util::to_string(find_transaction(wallet, text.substr(0, colon)).txid);
    const auto ref = wallet::label_reference(LabelKind::Output, txid + text.substr(colon), params);
    if (!ref) throw UsageError("invalid outpoint '" + text + "'; use TXID:VOUT");
    return {LabelKind::Output, *ref};
  }
  if (auto ref = wallet::label_reference(LabelKind::Address, text, params)) return {LabelKind::Address, *ref};
  if (is_hex(text)) return {LabelKind::Tx, util::to_string(find_transaction(wallet, text).txid)};
  throw UsageError("'" + text + "' is not a txid, outpoint or address on " + std::string(params.name) + ": " +
                   wallet::script_of_address(text, params).error().message);
}

// Of a transaction that the wallet does not know yet, any output may be labelled.
void require_output(const Labelled& what, const wallet::Wallet& wallet) {
  if (what.kind != LabelKind::Output) return;
  const auto colon = what.ref.find(':');
  const auto txid = util::parse_hash<chain::Txid>(what.ref.substr(0, colon));
  const wallet::TxRecord* record = txid ? wallet.find(*txid) : nullptr;
  if (record == nullptr) return;
  const auto index = util::parse_number<std::uint32_t>(what.ref.substr(colon + 1));
  const auto outputs = record->tx.outputs.size();
  if (index && *index < outputs) return;
  throw CommandError(
      ExitCode::Failed, "no-such-output",
      fmt::format("there is no output {}: the last one of this transaction is {}", what.ref, outputs - 1));
}

void show(const CommonOptions& common, const Labelled& what, const wallet::Label* label) {
  const std::string text = label == nullptr ? "" : label->text;
  if (common.json) {
    boost::json::object out{{"type", to_string(what.kind)}, {"ref", what.ref}};
    out["label"] = report::text_or_null(text);
    if (label != nullptr && label->spendable) out["spendable"] = *label->spendable;
    print_json(out);
  } else if (!text.empty()) {
    print_line(to_line(text));
  }
}

}  // namespace

ExitCode run(const CommonOptions& common, const LabelOptions& options) {
  if (options.text) {
    if (const auto complaint = report::label_complaint(*options.text)) throw UsageError(*complaint);
  }
  OpenWallet open = open_wallet(common, options.text ? Access::Shared : Access::Read);
  const auto what = labelled_by(options.what, open.wallet, chain::params(common.network));
  if (options.text && !options.text->empty()) require_output(what, open.wallet);
  if (options.text) open.stored->change_labels({{.kind = what.kind, .ref = what.ref, .text = options.text}});
  const report::LabelBook labels(open.stored->labels());
  if (!options.text || common.json) show(common, what, labels.find(what.kind, what.ref));
  return ExitCode::Done;
}

}  // namespace spv::cli
