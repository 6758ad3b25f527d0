// A watch-only user of the library: what it links is what K7 looks at.
#include <cstdio>

#include "wallet/wallet.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto descriptors = spv::wallet::Descriptor::parse(argv[1], spv::chain::params(spv::chain::Network::Main));
  if (!descriptors) return 1;
  spv::wallet::WalletConfig config;
  config.network = spv::chain::Network::Main;
  for (const auto& descriptor : *descriptors) config.key_chains.push_back({descriptor, false});
  const spv::wallet::Wallet wallet(config, spv::wallet::Wallet::fresh_state(config));
  std::printf("%zu\n", wallet.watched_elements().size());
  return 0;
}
