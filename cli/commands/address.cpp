// `spv address`
#include "wallet/address.h"

#include <sstream>
#include <unistd.h>

#include <boost/json.hpp>

#include "cli/commands/commands.h"
#include "cli/output/qr_code.h"
#include "cli/output/report.h"
#include "cli/output/terminal.h"
#include "cli/wallet/wallet_file.h"

namespace spv::cli {
namespace {

// Colours are set on a terminal, so that dark is dark whatever its theme.
void print_qr(const std::string& text) {
  const auto code = qr_code(text);
  if (!code) throw CommandError(ExitCode::Failed, "no-qr", "the address is too long for a QR code");
  const bool coloured = wants_colour(STDOUT_FILENO);
  std::istringstream lines(*code);
  for (std::string line; std::getline(lines, line);) {
    print_line(coloured ? "\x1b[97;40m" + line + "\x1b[0m" : line);
  }
}

}  // namespace

ExitCode run(const CommonOptions& common, const AddressOptions& options) {
  const auto& params = chain::params(common.network);
  // Showing the current address again writes nothing, so it works beside a running sync.
  OpenWallet open = open_wallet(common, Access::Read);
  auto issued = open.wallet.issue_address(options.change, options.advance);
  if (issued && !issued->changes.empty()) {
    open = open_wallet(common, Access::Write);
    issued = open.wallet.issue_address(options.change, options.advance);
  }
  if (!issued) {
    throw CommandError(ExitCode::Failed, "no-address",
                       options.advance
                           ? "no further address: the gap limit of unused ones is reached; use those handed out first"
                           : "this wallet has no such address");
  }
  // On disk before anybody sees it: an address is never handed out twice.
  if (!issued->changes.empty()) open.file.commit(issued->changes);
  const auto address = wallet::address_of_script(issued->entry.script, params).value_or("-");
  const auto path = open.wallet.path_of(issued->entry.chain, issued->entry.index);
  if (common.json) {
    print_json({{"address", address}, {"path", path}});
  } else {
    print_line(address);
    if (options.qr) print_qr(address);
  }
  return ExitCode::Done;
}

}  // namespace spv::cli
