#include "cli/wallet/seed_chains.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "cli/error.h"
#include "client/seed_wallet.h"

namespace spv::cli {
namespace {

constexpr std::size_t kMaxAccounts = 10;

}  // namespace

wallet::Seed seed_of(const wallet::Mnemonic& mnemonic, std::string_view passphrase) {
  auto seed = mnemonic.seed(passphrase);
  if (!seed) throw CommandError(ExitCode::Failed, "bad-passphrase", seed.error().message);
  return *seed;
}

std::vector<wallet::KeyChainConfig> chains_of(const wallet::Seed& seed, const std::string& script,
                                              const std::vector<std::uint32_t>& accounts,
                                              const chain::NetworkParams& params) {
  std::set<std::uint32_t> done;
  std::vector<wallet::KeyChainConfig> chains;
  for (const auto account : accounts) {
    if (!done.insert(account).second) continue;
    if (done.size() > kMaxAccounts) {
      throw UsageError("a wallet has at most 10 accounts, as many as a filter holds; make a second wallet");
    }
    auto pairs = client::chains_of_seed(seed, script, account, params);  // the parser lets only good names through
    if (!pairs) throw CommandError(ExitCode::Failed, "bad-seed", "this seed has no master key; use another mnemonic");
    std::ranges::move(*pairs, std::back_inserter(chains));
  }
  return chains;
}

}  // namespace spv::cli
