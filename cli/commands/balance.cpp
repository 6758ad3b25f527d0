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
report::ScanProgress progress_of(const CommonOptions& common, const report::Scanned& scanned) {
  try {
    return report::scan_progress(scanned, read_headers(common).get());
  } catch (const std::exception&) {
    return report::scan_progress(scanned, nullptr);
  }
}

void show(const CommonOptions& common, const wallet::Balance& balance, const report::Scanned& scanned) {
  const auto progress = progress_of(common, scanned);
  if (common.json) return print_json(balance_document(balance, scanned, progress));
  Table table({{"", false}, {std::string(unit_name(common.unit)), true}});
  table.add({"confirmed", amount_text(balance.confirmed, common.unit)});
  table.add({"unconfirmed", amount_text(balance.unconfirmed, common.unit)});
  table.add({"immature", amount_text(balance.immature, common.unit)});
  table.add({"total", amount_text(balance.total(), common.unit)});
  table.print();
  const bool any = !scanned.scan.scanned_to.hash.is_zero();
  if (any) print_line(standing_text(scanned));
  if (!progress.complete) print_line(incomplete_text(scanned, progress));
  if (any) print_line(attested_text(scanned));
}

}  // namespace

ExitCode run(const CommonOptions& common, const BalanceOptions&) {
  require_wallet(common);
  if (const auto stored = store_of(common)->balance(common.wallet)) {
    show(common, stored->balance, {stored->birthday, stored->scan});
    return ExitCode::Done;
  }
  const OpenWallet open = open_wallet(common, Access::Read);
  show(common, open.wallet.balance(), open.wallet);
  return ExitCode::Done;
}

}  // namespace spv::cli
