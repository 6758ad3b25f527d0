// `spv list`: the wallets of the network.
#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/output/amount.h"
#include "cli/output/report.h"
#include "cli/wallet/wallet_file.h"
#include "report/values.h"

namespace spv::cli {
namespace {

struct Listed {
  std::string name;
  std::string kind = "damaged";
  std::optional<chain::Height> height;
  std::optional<chain::Amount> balance;
};

// One that cannot be read is listed all the same: its command says what is wrong.
Listed look_at(CommonOptions common, const std::string& name) {
  common.wallet = name;
  Listed out{.name = name, .height = {}, .balance = {}};
  try {
    const OpenWallet open = open_wallet(common, Access::Read);
    const auto& scan = open.wallet.scan();
    out.kind = open.stored->info().kind == store::WalletKind::Watch ? "watch-only" : "mnemonic";
    out.balance = open.wallet.balance().total();
    if (!scan.scanned_to.hash.is_zero()) out.height = scan.scanned_to.height;
  } catch (const store::StoreError& error) {
    if (error.kind() == store::StoreError::Kind::WrongNetwork) out.kind = "other network";
    if (error.kind() == store::StoreError::Kind::NewerSchema) out.kind = "newer format";
    if (error.kind() == store::StoreError::Kind::ReadOnly) out.kind = "unreadable";
  }
  return out;
}

boost::json::array to_json(const std::vector<Listed>& list) {
  boost::json::array out;
  for (const auto& each : list) {
    out.push_back({{"wallet", each.name},
                   {"wallet_type", each.kind},
                   {"height", report::or_null(each.height)},
                   {"balance_sat", report::or_null(each.balance)}});
  }
  return out;
}

void print_table(const std::vector<Listed>& list, AmountUnit unit) {
  Table table({{"wallet", false}, {"type", false}, {"height", true}, {std::string(unit_name(unit)), true}});
  for (const auto& each : list) {
    table.add({each.name, each.kind, each.height ? std::to_string(*each.height) : "-",
               each.balance ? amount_text(*each.balance, unit) : "-"});
  }
  table.print();
}

}  // namespace

ExitCode run(const CommonOptions& common, const ListOptions& options) {
  const auto names = store_of(common)->names();
  if (options.names) {
    if (common.json) print_json({{"wallets", boost::json::array(names.begin(), names.end())}});
    for (const auto& name : names) {
      if (!common.json) print_line(name);
    }
    return ExitCode::Done;
  }
  std::vector<Listed> list;
  list.reserve(names.size());
  for (const auto& name : names) list.push_back(look_at(common, name));
  if (common.json) {
    print_json({{"wallets", boost::json::array(names.begin(), names.end())}, {"details", to_json(list)}});
  } else if (names.empty()) {
    print_line(fmt::format("no wallets on {}{}; create one with spv create, spv restore or spv watch",
                           chain::params(common.network).name, wallets_elsewhere(common, "")));
  } else {
    print_table(list, common.unit);
  }
  return ExitCode::Done;
}

}  // namespace spv::cli
