// `spv address`

#include <sstream>
#include <unistd.h>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/options/amount.h"
#include "cli/output/qr_code.h"
#include "cli/output/report.h"
#include "cli/output/terminal.h"
#include "cli/wallet/wallet_file.h"
#include "client/hand_out.h"
#include "report/label_text.h"
#include "wallet/payment_uri.h"

namespace spv::cli {
namespace {

// Colours are set on a terminal, so that dark is dark whatever its theme.
void print_qr(const std::string& text) {
  const auto code = qr_code(text);
  if (!code) throw CommandError(ExitCode::Failed, "no-qr", "this is too long for a QR code");
  const bool coloured = wants_colour(STDOUT_FILENO);
  std::istringstream lines(*code);
  for (std::string line; std::getline(lines, line);) {
    print_line(coloured ? "\x1b[97;40m" + line + "\x1b[0m" : line);
  }
}

[[noreturn]] void fail_no_chain(const AddressOptions& options) {
  throw CommandError(ExitCode::Failed, "no-address",
                     options.type.empty()
                         ? "this wallet has no change addresses"
                         : "this wallet has no " + options.type +
                               (options.change ? " change addresses" : " addresses") + "; see spv descriptors");
}

[[noreturn]] void fail_no_address(const AddressOptions& options, const client::NoAddressGiven& none) {
  using Reason = client::NoAddressGiven::Reason;
  switch (none.reason) {
    case Reason::NoChain:
      fail_no_chain(options);
    case Reason::Fixed:
      throw CommandError(ExitCode::Failed, "no-address",
                         "this wallet watches fixed addresses and cannot derive new ones; spv addresses lists them");
    case Reason::GapLimit:
      throw CommandError(ExitCode::Failed, "no-address",
                         fmt::format("{} unused addresses are handed out already, which is the gap limit; use one of "
                                     "them or raise it with spv set --gap-limit",
                                     none.gap_limit));
    case Reason::Contended:
      break;
  }
  throw CommandError(ExitCode::Wallet, "locked",
                     "other processes take addresses of this wallet all the time; try again");
}

Address choose_address(const CommonOptions& common, const AddressOptions& options) {
  const auto given = client::hand_out([&](Access access) { return open_wallet(common, access); },
                                      {.change = options.change, .advance = options.advance, .type = options.type},
                                      chain::params(common.network));
  if (!given) fail_no_address(options, given.error());
  Address shown = *given;
  if (shown.address.empty()) shown.address = "-";
  return shown;
}

// "0.001", "5000sat"
chain::Amount parse_request(const std::string& text) {
  const auto amount = parse_amount(text);
  if (amount && *amount > 0) return *amount;
  throw UsageError("invalid amount '" + text + "'; use 0.001 (BTC) or 5000sat");
}

std::string request_of(const std::string& address, const AddressOptions& options) {
  wallet::PaymentUri uri{.address = address, .label = options.label.value_or(""), .message = {}};
  if (options.amount) uri.amount = parse_request(*options.amount);
  return to_string(uri);
}

}  // namespace

ExitCode run(const CommonOptions& common, const AddressOptions& options) {
  const bool request = options.amount || options.label;
  if (options.amount) static_cast<void>(parse_request(*options.amount));
  if (options.label) {
    if (const auto complaint = report::label_complaint(*options.label)) throw UsageError(*complaint);
  }
  const Address shown = choose_address(common, options);
  const std::string text = request ? request_of(shown.address, options) : shown.address;
  if (common.json) {
    boost::json::object out{{"address", shown.address}, {"path", shown.path}};
    if (request) out["uri"] = text;
    print_json(out);
  } else {
    print_line(text);
    if (options.qr) print_qr(text);
  }
  return ExitCode::Done;
}

}  // namespace spv::cli
