// `spv watch`: wallets without secrets, from descriptors, an account's xpub, or addresses.
#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/wallet_summary.h"
#include "cli/output/report.h"
#include "cli/wallet/birthday.h"
#include "cli/wallet/new_wallet.h"
#include "wallet/account.h"
#include "wallet/address.h"

namespace spv::cli {
namespace {

using client::add_pairs;
using wallet::KeyChainConfig;

std::vector<wallet::Descriptor> parse_descriptor(const std::string& text, const chain::NetworkParams& params) {
  auto parsed = wallet::Descriptor::parse(text, params);
  if (!parsed) throw CommandError(ExitCode::Failed, "bad-descriptor", parsed.error().message);
  return std::move(*parsed);
}

void explain_prefix(const CommonOptions& common, const std::string& xpub) {
  const auto bracket = xpub.rfind(']');
  const auto prefix = wallet::extended_key_prefix(bracket == std::string::npos ? xpub : xpub.substr(bracket + 1));
  if (common.json || !prefix || !prefix->is_slip132 || !prefix->implies) return;
  fmt::print(stderr, "note: a {} is a {} whose first letters say that it is for {} (SLIP-132); it is kept as {}\n",
             prefix->name, prefix->is_main ? "xpub" : "tpub", to_string(*prefix->implies),
             prefix->is_main ? "xpub" : "tpub");
}

void add_xpub(const WatchOptions& options, const chain::NetworkParams& params, std::vector<KeyChainConfig>& chains) {
  std::vector<std::optional<wallet::ScriptKind>> kinds{std::nullopt};
  if (options.script == "all") {
    kinds = {wallet::ScriptKind::Pkh, wallet::ScriptKind::ShWpkh, wallet::ScriptKind::Wpkh, wallet::ScriptKind::Tr};
  } else if (options.script) {
    kinds = {wallet::parse_script_kind(*options.script)};
  }
  for (const auto& kind : kinds) {
    const auto pair = wallet::descriptors_of_xpub(*options.xpub, kind, params);
    if (!pair) throw CommandError(ExitCode::Failed, "bad-xpub", pair.error().message);
    add_pairs(*pair, chains);
  }
}

void add_address(const std::string& address, const chain::NetworkParams& params, std::vector<KeyChainConfig>& chains) {
  const auto script = wallet::script_of_address(address, params);
  if (!script) throw CommandError(ExitCode::Failed, "bad-address", script.error().message);
  add_pairs(parse_descriptor("addr(" + address + ")", params), chains);
}

}  // namespace

ExitCode run(const CommonOptions& common, const WatchOptions& options) {
  const auto& params = chain::params(common.network);
  const auto birthday = parse_birthday(options.birthday, params);
  std::vector<KeyChainConfig> chains;
  for (const auto& text : options.descriptors) add_pairs(parse_descriptor(text, params), chains);
  client::mark_change(chains);
  if (options.xpub) add_xpub(options, params, chains);
  for (const auto& address : options.addresses) add_address(address, params, chains);
  if (chains.empty()) throw UsageError("nothing to watch; give --descriptor, --xpub or --address");
  const NewWallet target(common);
  auto descriptors = descriptors_json(chains);
  target.create(std::move(chains), options.gap_limit, birthday);
  if (options.xpub) explain_prefix(common, *options.xpub);
  if (common.json) {
    print_json({{"wallet", common.wallet}, {"descriptors", std::move(descriptors)}});
    return ExitCode::Done;
  }
  print_line(fmt::format("wallet '{}' on {} is ready, watch-only", common.wallet, params.name));
  print_descriptors(descriptors);
  return ExitCode::Done;
}

}  // namespace spv::cli
