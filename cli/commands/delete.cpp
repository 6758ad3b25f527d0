// `spv delete`: removes the wallet's file, after a question.
#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/output/amount.h"
#include "cli/output/report.h"
#include "cli/wallet/confirm.h"
#include "cli/wallet/wallet_file.h"

namespace spv::cli {
namespace {

struct Loss {
  std::string kind;
  std::optional<chain::Amount> balance;
  std::string consequence;
};

Loss loss_of(const CommonOptions& common) {
  try {
    const OpenWallet open = open_wallet(common, Access::Read);
    const auto balance = open.wallet.balance().total();
    if (open.stored->info().kind == store::WalletKind::Watch) {
      return {"watch-only", balance, "it has no private keys; its labels and history are lost"};
    }
    return {"mnemonic", balance, "without its mnemonic or a backup the coins are lost"};
  } catch (const store::StoreError& error) {
    if (error.kind() == store::StoreError::Kind::Locked) throw;
    return {"damaged", std::nullopt, "the file cannot be read; without its mnemonic or a backup the coins are lost"};
  }
}

}  // namespace

ExitCode run(const CommonOptions& common, const DeleteOptions& options) {
  require_wallet(common);
  const Loss loss = loss_of(common);
  const auto network = chain::params(common.network).name;
  if (!options.yes) {
    if (common.json || !can_ask()) throw UsageError("spv delete needs --yes when it cannot ask on a terminal");
    const std::string holds = loss.balance ? " with " + amount_with_unit(*loss.balance, common.unit) : "";
    if (!confirm(fmt::format("Delete wallet '{}' on {}{}? If you do, {}.", common.wallet, network, holds,
                             loss.consequence))) {
      throw CommandError(ExitCode::Failed, "cancelled", "nothing is deleted");
    }
  }
  store_of(common)->remove(common.wallet);
  if (common.json) {
    boost::json::object out{{"wallet", common.wallet}, {"deleted", true}, {"wallet_type", loss.kind}};
    out["balance_sat"] = loss.balance ? boost::json::value(*loss.balance) : boost::json::value(nullptr);
    print_json(out);
  } else {
    print_line(fmt::format("wallet '{}' on {} deleted; {}", common.wallet, network, loss.consequence));
  }
  return ExitCode::Done;
}

}  // namespace spv::cli
