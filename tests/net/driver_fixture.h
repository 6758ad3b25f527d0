// A client with a wallet of one script, driven over real sockets.
#pragma once

#include <functional>
#include <optional>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "net/clock.h"
#include "net/driver.h"
#include "sync/watch/wallet_group.h"
#include "tests/support/chain_builder.h"
#include "wallet/script.h"

namespace spv::net {

inline const util::Hash160 kKeyHash{1, 2, 3};

inline wallet::WalletConfig watch_one_script() {
  const auto& params = chain::params(chain::Network::Regtest);
  wallet::WalletConfig config;
  config.key_chains.push_back(
      {wallet::Descriptor::parse("raw(00140102030000000000000000000000000000000000)", params)->at(0)});
  config.filter = {.tweak = 5, .decoy_seed = 6};
  return config;
}

/// Forty blocks, one that pays 5,000 to the wallet, sixty more.
inline test::ChainBuilder paid_chain() {
  return test::ChainBuilder().blocks(40).pays(wallet::p2wpkh_script(kKeyHash), 5'000).blocks(60);
}

class DriverFixture : public testing::Test {
 protected:
  DriverFixture()
      : wallet_(config_, wallet::Wallet::fresh_state(config_)),
        store_(0, params_.genesis, chain::Uint256(2)),
        chain_(params_, store_) {
    watcher_.add(1, wallet_);
  }

  RunResult run(std::vector<std::uint16_t> ports, DriverOptions options = {}) {
    sync::EngineOptions setup;
    for (const auto port : ports) setup.peers.push_back({"127.0.0.1", port});
    return run(std::move(setup), std::move(options));
  }

  RunResult run(sync::EngineOptions setup, DriverOptions options) {
    setup.mempool_wait = util::Duration::zero();
    setup.follow = options.follow;
    engine_.emplace(std::move(setup), chain_, watcher_, util::Rng(7));
    DriverHooks hooks;
    hooks.persist = [this](const std::vector<sync::MemberChanges>& wallets) {
      const wallet::Changes& changes = wallets.front().changes;
      ++commits_;
      if (changes.scan) last_scan_ = changes.scan;
      if (disk_full_) throw std::runtime_error("no space left on device");
    };
    hooks.heartbeat = heartbeat_;
    hooks.notify = [this](const sync::Event& event) {
      if (const auto* state = std::get_if<sync::PeerStateChanged>(&event)) peer_states_.push_back(state->state);
    };
    driver_.emplace(*engine_, params_, std::move(options), std::move(hooks));
    return driver_->run();
  }

  const chain::NetworkParams& params_ = chain::params(chain::Network::Regtest);
  wallet::WalletConfig config_ = watch_one_script();
  wallet::Wallet wallet_;
  chain::MemoryHeaderStore store_;
  chain::HeaderChain chain_;
  sync::WalletGroup watcher_{util::Rng(1)};
  std::optional<sync::Engine> engine_;
  std::optional<Driver> driver_;
  int commits_ = 0;
  std::optional<wallet::ScanState> last_scan_;  // as committed
  bool disk_full_ = false;
  std::function<void()> heartbeat_;
  std::vector<std::string> peer_states_;
};

}  // namespace spv::net
