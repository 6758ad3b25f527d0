// SyncScenario: the fixture of whole syncs. A test is a story: nodes with chains, runs, and what the wallet holds.
#pragma once

#include <gtest/gtest.h>

#include "tests/support/faults.h"
#include "tests/support/scripts.h"
#include "tests/support/simulation.h"
#include "tests/support/tx_builder.h"
#include "tests/support/wallet_oracle.h"

namespace spv::test {

class SyncScenario : public testing::Test {
 protected:
  using Reason = sync::DisconnectReason;

  /// Options may be changed until the first use of sim().
  SimulationOptions options;
  Simulation& sim();
  /// Another simulation with this seed.
  void start_anew(std::uint64_t seed);

  /// Scripts of the wallet.
  util::Bytes receive(std::uint32_t index);
  util::Bytes change(std::uint32_t index);
  /// A script of nobody that the wallet knows.
  static util::Bytes stranger();

  SimulatedNode& add_node(ChainBuilder chain, std::uint64_t services = FakeNode::kDefaultServices) {
    return sim().add_node(std::move(chain), services);
  }
  /// Runs until the client says Finished, and expects that it is without failure.
  void sync();
  /// Runs until it says Finished with this failure.
  void sync_fails(sync::Failure::Code code);
  void restart() { sim().stop(); }

  wallet::Balance balance() { return sim().wallet().balance(); }
  /// What differs between the wallet, live and as committed, and a chain.
  std::string difference(const ChainBuilder& chain);
  std::string difference() { return difference(sim().node(0).fake.chain()); }

  template <typename E>
  std::vector<E> events() {
    std::vector<E> out;
    for (const auto& event : sim().events()) {
      if (const auto* wanted = std::get_if<E>(&event)) out.push_back(*wanted);
    }
    return out;
  }
  /// True if the client ended a connection for this reason.
  bool dropped(Reason reason);
  std::optional<wallet::TxStatus> status(const chain::Transaction& tx);

 private:
  std::unique_ptr<Simulation> sim_;
};

/// Every block of the range was asked for exactly so often.
testing::AssertionResult each_asked(const FakeNode& node, chain::Height first, chain::Height last, int times = 1);

}  // namespace spv::test
