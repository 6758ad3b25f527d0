// `spv address`
#include "wallet/address.h"

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

constexpr int kAddressTries = 100;

// "wpkh" of "wpkh([…]xpub/0/*)#…"
std::string type_of(const wallet::Descriptor& descriptor) {
  const std::string text = descriptor.to_string();
  if (text.starts_with("sh(wpkh(")) return "sh-wpkh";
  return text.substr(0, text.find('('));
}

std::optional<std::size_t> find_chain(const wallet::Wallet& wallet, const AddressOptions& options) {
  const auto& chains = wallet.config().key_chains;
  for (std::size_t i = 0; i < chains.size(); ++i) {
    const bool fits = options.type.empty() || type_of(chains[i].descriptor) == options.type;
    if (chains[i].change == options.change && fits) return i;
  }
  return std::nullopt;
}

[[noreturn]] void fail_no_chain(const AddressOptions& options) {
  throw CommandError(ExitCode::Failed, "no-address",
                     options.type.empty()
                         ? "this wallet has no change addresses"
                         : "this wallet has no " + options.type +
                               (options.change ? " change addresses" : " addresses") + "; see spv descriptors");
}

[[noreturn]] void fail_no_further(const wallet::Wallet& wallet, std::size_t chain) {
  if (!wallet.config().key_chains[chain].descriptor.is_ranged()) {
    throw CommandError(ExitCode::Failed, "no-address",
                       "this wallet watches fixed addresses and cannot derive new ones; spv addresses lists them");
  }
  throw CommandError(ExitCode::Failed, "no-address",
                     fmt::format("{} unused addresses are handed out already, which is the gap limit; use one of them "
                                 "or raise it with spv set --gap-limit",
                                 wallet.config().gap_limit));
}

struct Shown {
  std::string address;
  std::string path;
};

Shown choose_address(const CommonOptions& common, const AddressOptions& options) {
  // Showing the current address again writes nothing: only a new one needs to.
  Access access = Access::Read;
  for (int tries = 0; tries < kAddressTries; ++tries) {
    OpenWallet open = open_wallet(common, access);
    const auto chain = find_chain(open.wallet, options);
    if (!chain) fail_no_chain(options);
    const auto issued = open.wallet.issue_address_of(*chain, options.advance);
    if (!issued && issued.error() == wallet::NoAddress::Damaged) client::fail_foreign_script();
    if (!issued) fail_no_further(open.wallet, *chain);
    // On disk before anybody sees it: an address is never handed out twice.
    const bool ours =
        issued->changes.empty() || (access == Access::Shared && open.stored->issue(*chain, issued->entry.index));
    if (ours) {
      return {wallet::address_of_script(issued->entry.script, chain::params(common.network)).value_or("-"),
              open.wallet.path_of(issued->entry.chain, issued->entry.index)};
    }
    access = Access::Shared;
  }
  throw CommandError(ExitCode::Wallet, "locked",
                     "other processes take addresses of this wallet all the time; try again");
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
  const auto [address, path] = choose_address(common, options);
  const std::string text = request ? request_of(address, options) : address;
  if (common.json) {
    boost::json::object out{{"address", address}, {"path", path}};
    if (request) out["uri"] = text;
    print_json(out);
  } else {
    print_line(text);
    if (options.qr) print_qr(text);
  }
  return ExitCode::Done;
}

}  // namespace spv::cli
