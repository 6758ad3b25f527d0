// `spv watch`: wallets without secrets, from descriptors, an account's xpub, or addresses.
#include <algorithm>
#include <cstring>
#include <set>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "chain/checkpoints.h"
#include "chain/pow.h"
#include "cli/commands/commands.h"
#include "cli/commands/growing.h"
#include "cli/commands/wallet_summary.h"
#include "cli/input_file.h"
#include "cli/output/report.h"
#include "cli/output/stdout_file.h"
#include "cli/wallet/birthday.h"
#include "cli/wallet/descriptor_list.h"
#include "cli/wallet/new_wallet.h"
#include "cli/wallet/wallet_file.h"
#include "client/watch_terms.h"
#include "wallet/account.h"

namespace spv::cli {
namespace {

using wallet::KeyChainConfig;

constexpr std::size_t kMaxListBytes = 16U << 20U;

CommandError to_command_error(const client::WatchError& error) {
  using Kind = client::WatchError::Kind;
  switch (error.kind) {
    case Kind::PrivateKey:
      return {ExitCode::Failed, "private-key",
              "this contains a private key, and a watch-only wallet keeps public keys only: use the xpub (bitcoin-cli "
              "getdescriptorinfo prints the public form), or spv restore for a wallet with its keys"};
    case Kind::BadDescriptor:
      return {ExitCode::Failed, "bad-descriptor", error.message};
    case Kind::BadAddress:
      return {ExitCode::Failed, "bad-address", error.message};
    case Kind::BadXpub:
      break;
  }
  return {ExitCode::Failed, "bad-xpub", error.message};
}

template <typename T>
T take(util::Expected<T, client::WatchError> made) {
  if (!made) throw to_command_error(made.error());
  return std::move(*made);
}

void append(std::vector<KeyChainConfig> more, std::vector<KeyChainConfig>& chains) {
  std::ranges::move(more, std::back_inserter(chains));
}

std::vector<ListedDescriptor> read_descriptors(const std::string& path) {
  if (path.empty()) return {};
  const auto text = read_input<std::string>(path, kMaxListBytes);
  const std::string why = text ? "it is longer than 16 MiB" : std::strerror(text.error());
  if (!text || text->size() > kMaxListBytes) {
    throw CommandError(ExitCode::Failed, "descriptors-file", "cannot read '" + path + "': " + why);
  }
  return parse_descriptor_list(*text);
}

void add_listed(const std::vector<ListedDescriptor>& list, std::uint32_t gap_limit, const chain::NetworkParams& params,
                std::vector<KeyChainConfig>& chains) {
  std::uint32_t next = 0;
  for (const auto& each : list) {
    const auto parsed = take(client::parse_watched(each.text, params));
    for (std::size_t i = 0; i < parsed.size(); ++i) {
      chains.push_back({parsed[i], each.internal || (parsed.size() > 1 && i == 1)});
    }
    if (parsed.front().is_ranged()) next = std::max(next, each.next.value_or(0));
  }
  if (next <= gap_limit) return;
  print_note(
      fmt::format("bitcoind has handed out addresses up to index {}; if more than {} in a row are unused, use "
                  "--gap-limit {}",
                  next - 1, gap_limit, next));
}

void explain_prefix(const CommonOptions& common, const std::string& xpub) {
  const auto bracket = xpub.rfind(']');
  const auto prefix = wallet::extended_key_prefix(bracket == std::string::npos ? xpub : xpub.substr(bracket + 1));
  if (common.json || !prefix || !prefix->is_slip132 || !prefix->implies) return;
  print_note(fmt::format("{} means {} for {} (SLIP-132); stored as {}", prefix->name,
                         prefix->is_main ? "an xpub" : "a tpub", to_string(*prefix->implies),
                         prefix->is_main ? "xpub" : "tpub"));
}

std::vector<KeyChainConfig> chains_to_watch(const WatchOptions& options, const std::vector<ListedDescriptor>& listed,
                                            std::uint32_t gap_limit, const chain::NetworkParams& params) {
  auto chains = take(client::chains_of_descriptors(options.descriptors, params));
  add_listed(listed, gap_limit, params, chains);
  if (options.xpub) append(take(client::chains_of_xpub(*options.xpub, options.script, params)), chains);
  append(take(client::chains_of_addresses(options.addresses, params)), chains);
  if (chains.empty()) throw UsageError("nothing to watch; give --descriptor, --xpub, --address or --descriptors-file");
  return chains;
}

/// Each descriptor once, and none that the wallet has; says what is left out.
std::vector<KeyChainConfig> without_known(std::vector<KeyChainConfig> chains, const wallet::WalletConfig* config,
                                          const std::vector<util::Bytes>& scripts) {
  std::set<std::string> known;
  if (config != nullptr) {
    for (const auto& chain : config->key_chains) known.insert(chain.descriptor.to_string());
  }
  const std::set<util::Bytes> watched(scripts.begin(), scripts.end());
  std::vector<KeyChainConfig> out;
  for (auto& chain : chains) {
    const std::string text = chain.descriptor.to_string();
    const bool fixed_and_watched =
        !chain.descriptor.is_ranged() && watched.contains(chain.descriptor.script_at(0).value_or(util::Bytes{}));
    if (fixed_and_watched || !known.insert(text).second) {
      print_note(text + " is watched already");
    } else {
      out.push_back(std::move(chain));
    }
  }
  return out;
}

// When bitcoind made the descriptors, unless the user says more.
Birthday birthday_for(const WatchOptions& options, const std::vector<ListedDescriptor>& listed,
                      const chain::NetworkParams& params) {
  const bool only_listed = options.descriptors.empty() && !options.xpub && options.addresses.empty();
  if (options.birthday || !only_listed) return parse_birthday(options.birthday, params);
  return birthday_of_timestamp(earliest(listed));
}

// A date as a height, by the headers that are here, else by the built-in start points.
chain::Height height_of(const CommonOptions& common, const Birthday& birthday) {
  if (!birthday.time) return birthday.height;
  constexpr util::UnixTime kTimeSlack = 7'200;
  const auto& params = chain::params(common.network);
  const auto point = chain::start_point_before_time(params, *birthday.time);
  chain::Height height = point ? point->height : 0;
  const auto headers = read_headers(common);
  if (!headers || headers->base_height() > height) return height;
  while (height < headers->tip_height() && headers->at(height).time < *birthday.time - kTimeSlack) ++height;
  return chain::scan_start(params, height);
}

/// What the wallet does not have.
std::vector<KeyChainConfig> chains_to_add(const WatchOptions& options, const std::vector<ListedDescriptor>& listed,
                                          const wallet::Wallet& wallet) {
  const auto& config = wallet.config();
  const auto gap_limit = std::max(options.gap_limit.value_or(0), config.gap_limit);
  const auto asked = chains_to_watch(options, listed, gap_limit, chain::params(config.network));
  const auto chains = without_known(asked, &config, wallet.watched_scripts());
  // Beside what the wallet has, one may turn out to be a change chain.
  auto all = config.key_chains;
  std::ranges::copy(chains, std::back_inserter(all));
  client::mark_change(all);
  return {all.begin() + static_cast<std::ptrdiff_t>(config.key_chains.size()), all.end()};
}

bool is_earlier(const Birthday& birthday, chain::Height height, const wallet::WalletConfig& config) {
  if (!config.birthday_time) return height < config.birthday;
  return !birthday.time || *birthday.time < *config.birthday_time;
}

/// What is new, from its own birthday on: payments to it may be older than the wallet. What is watched already is
/// scanned from an earlier block if the user names one. Nothing: all is as it was.
std::optional<client::Growth> growth_of(const CommonOptions& common, const WatchOptions& options,
                                        const wallet::Wallet& wallet) {
  const auto& config = wallet.config();
  if (options.gap_limit) require_not_lower(*options.gap_limit, config);
  const auto listed = read_descriptors(options.descriptors_file);
  const auto birthday = birthday_for(options, listed, chain::params(common.network));
  client::Growth growth{.chains = chains_to_add(options, listed, wallet)};
  if (options.gap_limit.value_or(0) > config.gap_limit) growth.gap_limit = options.gap_limit;
  const chain::Height height = height_of(common, birthday);
  const bool named = options.birthday || birthday.time;
  if (!growth.chains.empty() || (named && is_earlier(birthday, height, config))) growth.birthday = height;
  if (!growth.birthday && !growth.gap_limit) return std::nullopt;
  return growth;
}

ExitCode add_to_wallet(const CommonOptions& common, const WatchOptions& options) {
  OpenWallet open = open_wallet(common, Access::Write);
  if (open.stored->info().kind != store::WalletKind::Watch) {
    throw CommandError(ExitCode::Failed, "not-watch-only",
                       "wallet '" + common.wallet + "' has keys of its own; create a watch-only wallet with -w NAME");
  }
  const auto growth = growth_of(common, options, open.wallet);
  const auto added = descriptors_json(growth ? growth->chains : std::vector<KeyChainConfig>{});
  const auto owed = growth ? grow(open, *growth) : std::nullopt;
  if (common.json) {
    boost::json::object out{{"wallet", common.wallet}, {"added", added}};
    out["rescan_from"] = owed ? boost::json::value(owed->from) : boost::json::value(nullptr);
    print_json(out);
    return ExitCode::Done;
  }
  print_line(
      fmt::format("wallet '{}': {} descriptor{} added", common.wallet, added.size(), added.size() == 1 ? "" : "s"));
  print_descriptors(added);
  if (growth && growth->gap_limit) print_line(fmt::format("gap limit {}", *growth->gap_limit));
  print_owed(owed);
  return ExitCode::Done;
}

}  // namespace

ExitCode run(const CommonOptions& common, const WatchOptions& options) {
  if (options.add) return add_to_wallet(common, options);
  const auto& params = chain::params(common.network);
  const auto listed = read_descriptors(options.descriptors_file);
  const auto birthday = birthday_for(options, listed, params);
  const auto gap_limit = options.gap_limit.value_or(wallet::kDefaultGapLimit);
  auto chains = without_known(chains_to_watch(options, listed, gap_limit, params), nullptr, {});
  const NewWallet target(common);
  auto descriptors = descriptors_json(chains);
  target.create(std::move(chains), gap_limit, birthday);
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
