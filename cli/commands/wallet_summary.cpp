#include "cli/commands/wallet_summary.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include "cli/options/options.h"
#include "cli/output/report.h"
#include "cli/output/stdout_file.h"
#include "util/hex.h"
#include "wallet/account.h"

namespace spv::cli {

boost::json::array descriptors_json(const std::vector<wallet::KeyChainConfig>& chains) {
  boost::json::array texts;
  for (const auto& chain : chains) texts.emplace_back(chain.descriptor.to_string());
  return texts;
}

void print_descriptors(const boost::json::array& descriptors) {
  for (const auto& text : descriptors) print_line(fmt::format("descriptor   {}", std::string_view(text.as_string())));
}

boost::json::object seed_wallet_json(const CommonOptions& common, const wallet::Seed& seed,
                                     const std::vector<wallet::KeyChainConfig>& chains) {
  const auto fingerprint = wallet::master_fingerprint(seed);
  return {{"wallet", common.wallet},
          {"fingerprint", fingerprint ? util::to_hex(*fingerprint) : ""},
          {"descriptors", descriptors_json(chains)}};
}

void print_seed_wallet(const CommonOptions& common, const boost::json::object& document) {
  print_line(fmt::format("wallet '{}' on {} is ready", common.wallet, chain::params(common.network).name));
  print_line(fmt::format("fingerprint  {}", std::string_view(document.at("fingerprint").as_string())));
  print_descriptors(document.at("descriptors").as_array());
}

std::string readers(const CommonOptions& common) {
  return common.database.empty() ? "your user only" : "all who can read the database";
}

void print_plain_secret_note(const CommonOptions& common, bool encrypted) {
  if (common.json || encrypted) return;
  print_note("the keys are stored without a passphrase, readable by " + readers(common) + "; spv passphrase sets one");
}

}  // namespace spv::cli
