// `spv descriptors`
#include <set>
#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/output/report.h"
#include "cli/wallet/secret_file.h"
#include "cli/wallet/wallet_file.h"
#include "cli/wallet/wallet_secret.h"
#include "store/header_file.h"
#include "wallet/account.h"

namespace spv::cli {
namespace {

constexpr std::int64_t kTwoHours = 7'200;

// From when the importing wallet must scan: a little before the birthday's block, or from the start if its time is
// unknown.
std::int64_t timestamp_of(const CommonOptions& common, const wallet::WalletConfig& config) {
  if (config.birthday_time) return *config.birthday_time;
  if (config.birthday == 0) return 0;
  const auto headers = read_headers(common);
  const chain::Height height = config.birthday;
  if (!headers || height < headers->base_height() || height > headers->tip_height()) return 0;
  return std::max<std::int64_t>(std::int64_t{headers->at(height).time} - kTwoHours, 0);
}

std::string text_of(const wallet::Descriptor& descriptor, const std::optional<wallet::Seed>& seed,
                    const chain::NetworkParams& params) {
  if (!seed) return descriptor.to_string();
  const auto secret = wallet::private_descriptor(descriptor, *seed, params);
  if (!secret)
    throw CommandError(ExitCode::Failed, "no-private-key",
                       "a descriptor has a key that is not derived from this wallet's seed");
  return std::string(as_text(*secret));
}

}  // namespace

ExitCode run(const CommonOptions& common, const DescriptorsOptions& options) {
  const auto& params = chain::params(common.network);
  OpenWallet open = open_wallet(common, Access::Read);
  std::optional<wallet::Seed> seed;
  if (options.with_private_keys) seed = unlock(*open.stored, options.passphrase_file);
  const auto timestamp = timestamp_of(common, open.wallet.config());
  boost::json::array list;
  std::set<std::pair<std::string, bool>> active;  // the importing wallet hands out addresses of one account a kind
  std::set<std::string> listed;
  const auto& chains = open.wallet.config().key_chains;
  for (std::size_t i = 0; i < chains.size(); ++i) {
    const bool ranged = chains[i].descriptor.is_ranged();
    const std::string kind = chains[i].descriptor.to_string();
    if (!listed.insert(kind).second) continue;  // watched twice
    const bool first = active.emplace(kind.substr(0, kind.rfind('(')), chains[i].change).second;
    boost::json::object entry{{"desc", text_of(chains[i].descriptor, seed, params)},
                              {"active", ranged && first},
                              {"internal", chains[i].change},
                              {"timestamp", timestamp}};
    if (ranged) entry["range"] = {0, open.wallet.watched(i) - 1};
    list.push_back(std::move(entry));
  }
  if (common.json) {
    print_json(list);
    return ExitCode::Done;
  }
  // The same document with one descriptor per line, for people; both can be imported.
  for (std::size_t i = 0; i < list.size(); ++i) {
    print_line(
        fmt::format("{}{}{}", i == 0 ? "[" : " ", boost::json::serialize(list[i]), i + 1 == list.size() ? "]" : ","));
  }
  return ExitCode::Done;
}

}  // namespace spv::cli
