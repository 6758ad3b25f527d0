// `spv balance`
#include "report/balance.h"

#include <exception>

#include <boost/json.hpp>

#include "cli/commands/commands.h"
#include "cli/output/amount.h"
#include "cli/output/report.h"
#include "cli/output/scan_report.h"
#include "cli/wallet/wallet_file.h"
#include "store/header_file.h"

namespace spv::cli {
namespace {

// Headers that cannot be read, or are replaced meanwhile, must not hide the balance: then they count as unknown.
report::ScanProgress progress_of(const CommonOptions& common, const wallet::Wallet& wallet) {
  try {
    return report::scan_progress(wallet, read_headers(common).get());
  } catch (const std::exception&) {
    return report::scan_progress(wallet, nullptr);
  }
}

}  // namespace

ExitCode run(const CommonOptions& common, const BalanceOptions&) {
  const OpenWallet open = open_wallet(common, Access::Read);
  const auto progress = progress_of(common, open.wallet);
  if (common.json) {
    print_json(balance_document(open.wallet, progress));
    return ExitCode::Done;
  }
  const wallet::Balance balance = open.wallet.balance();
  Table table({{"", false}, {std::string(unit_name(common.unit)), true}});
  table.add({"confirmed", amount_text(balance.confirmed, common.unit)});
  table.add({"unconfirmed", amount_text(balance.unconfirmed, common.unit)});
  table.add({"immature", amount_text(balance.immature, common.unit)});
  table.add({"total", amount_text(balance.total(), common.unit)});
  table.print();
  const bool scanned = !open.wallet.scan().scanned_to.hash.is_zero();
  if (scanned) print_line(standing_text(open.wallet));
  if (!progress.complete) print_line(incomplete_text(open.wallet, progress));
  if (scanned) print_line(attested_text(open.wallet));
  return ExitCode::Done;
}

}  // namespace spv::cli
