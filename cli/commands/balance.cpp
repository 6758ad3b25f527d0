// `spv balance`
#include <exception>

#include <boost/json.hpp>

#include "cli/commands/commands.h"
#include "cli/output/amount.h"
#include "cli/output/json_values.h"
#include "cli/output/report.h"
#include "cli/output/scan_report.h"
#include "cli/wallet/wallet_file.h"
#include "store/header_file.h"

namespace spv::cli {
namespace {

// Headers that cannot be read, or are replaced meanwhile, must not hide the balance: then they count as unknown.
ScanProgress progress_of(const CommonOptions& common, const wallet::Wallet& wallet) {
  try {
    return scan_progress(wallet, read_headers(common).get());
  } catch (const std::exception&) {
    return scan_progress(wallet, nullptr);
  }
}

boost::json::object balance_json(const wallet::Wallet& wallet, const wallet::Balance& balance,
                                 const ScanProgress& progress) {
  const chain::BlockRef& scanned = wallet.scan().scanned_to;
  const bool known = !scanned.hash.is_zero();
  auto document = to_json(balance);
  document.emplace("height", known ? boost::json::value(scanned.height) : nullptr);
  document.emplace("tip", known ? boost::json::value(util::to_string(scanned.hash)) : nullptr);
  document.emplace("headers", or_null(progress.headers));
  document.emplace("complete", progress.complete);
  add_standing(document, wallet);
  return document;
}

}  // namespace

ExitCode run(const CommonOptions& common, const BalanceOptions&) {
  const OpenWallet open = open_wallet(common, Access::Read);
  const wallet::Balance balance = open.wallet.balance();
  const auto progress = progress_of(common, open.wallet);
  if (common.json) {
    print_json(balance_json(open.wallet, balance, progress));
    return ExitCode::Done;
  }
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
