// `spv abandon`: frees the coins of a transaction of ours that no node has taken.
#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/output/report.h"
#include "cli/output/stdout_file.h"
#include "cli/wallet/find_transaction.h"
#include "cli/wallet/wallet_file.h"
#include "client/clock.h"

namespace spv::cli {

ExitCode run(const CommonOptions& common, const AbandonOptions& options) {
  OpenWallet open = open_wallet(common, Access::Write);
  const chain::Txid txid = find_transaction(open.wallet, options.txid).txid;
  // Nobody has what was never sent.
  const auto& sending = open.wallet.find(txid)->sending;
  const bool may_be_out = !sending || sending->state != wallet::SendState::NotSent;
  const auto changes = open.wallet.abandon(txid);
  if (!changes) throw CommandError(ExitCode::Failed, "cannot-abandon", changes.error().message);
  client::commit_with_balance(open, *changes, client::read_clock().wall);
  boost::json::array also;
  for (const auto& record : changes->transactions) {
    if (record.txid != txid) also.push_back(boost::json::value(util::to_string(record.txid)));
  }
  if (may_be_out) {
    print_note("it can still confirm if a node has it after all; to be sure that it does not, spend one of its coins");
  }
  if (common.json) {
    print_json({{"txid", util::to_string(txid)}, {"send_state", "abandoned"}, {"also_abandoned", std::move(also)}});
    return ExitCode::Done;
  }
  print_line(fmt::format("{} is abandoned and its coins are free", util::to_string(txid)));
  for (const auto& child : also)
    print_line(fmt::format("{} spends from it and is abandoned too", std::string_view(child.as_string())));
  return ExitCode::Done;
}

}  // namespace spv::cli
