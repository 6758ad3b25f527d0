// `spv broadcast`: sends a finished transaction, in hex or as a finished PSBT.
#include <algorithm>
#include <cctype>
#include <cstring>

#include <boost/json.hpp>

#include "cli/commands/commands.h"
#include "cli/commands/spend/broadcast_run.h"
#include "cli/commands/spend/psbt_file.h"
#include "cli/commands/spend/spend_report.h"
#include "cli/input_file.h"
#include "cli/output/report.h"
#include "client/clock.h"
#include "util/hex.h"

namespace spv::cli {
namespace {

CommandError bad_transaction(const std::string& why) {
  return {ExitCode::Failed, "bad-transaction", "this is not a finished transaction or PSBT: " + why};
}

std::string without_space(std::string text) {
  std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0; });
  return text;
}

chain::Transaction parse_transaction(util::ByteView bytes) {
  auto tx = chain::Transaction::parse(bytes);
  if (!tx) throw bad_transaction(std::string(to_string(tx.error())));
  if (const auto checked = chain::check_structure(*tx); !checked) {
    throw bad_transaction(std::string(to_string(checked.error())));
  }
  if (tx->is_coinbase()) throw bad_transaction("a coinbase cannot be sent");
  return std::move(*tx);
}

chain::Transaction read_transaction(const std::string& what) {
  if (const auto hex = util::from_hex(what); hex && !hex->empty()) return parse_transaction(*hex);
  const std::string file = read_psbt_input(what);
  if (const auto hex = util::from_hex(without_space(file)); hex && !hex->empty()) return parse_transaction(*hex);
  return extract_transaction(file);
}

/// The wallet, if there is one that the transaction is a payment of; it is stored there.
std::optional<OpenWallet> keep(const CommonOptions& common, const chain::Transaction& tx) {
  const auto names = store_of(common)->names();
  if (std::ranges::find(names, common.wallet) == names.end()) return std::nullopt;
  std::optional<OpenWallet> open = open_wallet(common, Access::Write);
  if (!open->wallet.is_payment(tx)) return std::nullopt;
  const auto changes = open->wallet.add_own(tx, wallet::SendState::Announced, client::read_clock().wall,
                                            {.replaces = open->wallet.replaced_payment(tx)});
  if (!changes) throw CommandError(ExitCode::Failed, "coin-not-free", changes.error().message);
  client::commit_changes(*open, *changes, client::read_clock().wall);
  return open;
}

}  // namespace

ExitCode run(const CommonOptions& common, const BroadcastOptions& options) {
  const chain::Transaction tx = read_transaction(options.what);
  auto open = keep(common, tx);
  const auto outcome = broadcast(common, options.sync, open ? &*open : nullptr, tx);
  if (common.json) {
    print_json(broadcast_json(tx.txid(), outcome));
  } else {
    print_line(outcome_text(tx.txid(), outcome));
  }
  return outcome.state == "uncertain" ? ExitCode::Network : ExitCode::Done;
}

}  // namespace spv::cli
