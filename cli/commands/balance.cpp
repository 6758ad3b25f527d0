// `spv balance`
#include <boost/json.hpp>

#include "cli/commands/commands.h"
#include "cli/output/amount.h"
#include "cli/output/report.h"
#include "cli/output/scan_report.h"
#include "cli/wallet/wallet_file.h"

namespace spv::cli {

ExitCode run(const CommonOptions& common, const BalanceOptions&) {
  const OpenWallet open = open_wallet(common, Access::Read);
  const wallet::Balance balance = open.wallet.balance();
  const chain::BlockRef& scanned = open.wallet.scan().scanned_to;
  if (common.json) {
    auto document = to_json(balance);
    document.emplace("height", scanned.height);
    document.emplace("tip", util::to_string(scanned.hash));
    add_standing(document, open.wallet);
    print_json(document);
    return ExitCode::Done;
  }
  Table table({{"", false}, {std::string(unit_name(common.unit)), true}});
  table.add({"confirmed", amount_text(balance.confirmed, common.unit)});
  table.add({"unconfirmed", amount_text(balance.unconfirmed, common.unit)});
  table.add({"immature", amount_text(balance.immature, common.unit)});
  table.add({"total", amount_text(balance.total(), common.unit)});
  table.print();
  print_line(scanned.hash.is_zero() ? "nothing is scanned yet; run spv sync" : standing_text(open.wallet));
  if (!scanned.hash.is_zero()) print_line(attested_text(open.wallet));
  return ExitCode::Done;
}

}  // namespace spv::cli
