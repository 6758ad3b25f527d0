// What the tests of the server's parts share: a client that follows wallets, and the server's loop, which the test
// runs.
#pragma once

#include <chrono>
#include <memory>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include "serve/electrum/wallet_keeper.h"
#include "tests/client/backend_fixture.h"
#include "tests/serve/electrum/electrum_fixture.h"
#include "tests/support/tx_builder.h"

namespace spv::serve::electrum {

class ServerTest : public test::BackendTest {
 protected:
  void TearDown() override {
    pool_.stop();
    door_->close();
  }
  /// The client follows the node, and this wallet is scanned: it has 5,000 in block 11.
  [[nodiscard]] bool follow_one() {
    return client_.start() && height_is(22) && backend_.create("one", paid(1)) && total_is("one", 5'000);
  }
  /// Runs the server's loop until it is so; false if it takes too long.
  template <typename Fact>
  [[nodiscard]] bool run_until(const Fact& fact) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!fact()) {
      if (std::chrono::steady_clock::now() > end) return false;
      io_.restart();
      if (io_.run_one_for(std::chrono::milliseconds(5)) > 0) io_.poll();
    }
    return true;
  }
  static ScriptHash script_of_one() { return hash_of_script(test::script(1)); }
  [[nodiscard]] std::shared_ptr<const WalletView> view(const std::string& name) {
    using View = std::shared_ptr<const WalletView>;
    const auto made = backend_.look<View>(
        name, [&](client::OpenWallet& open) -> Result<View> { return view_of(name, open.wallet, nullptr); });
    return made ? *made : nullptr;
  }
  /// The transaction that pays the wallet "one".
  [[nodiscard]] chain::Transaction payment() {
    return live_.with([](test::FakeNode& node) { return node.chain().block(11).txs.at(1); });
  }

  boost::asio::io_context io_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_ = boost::asio::make_work_guard(io_);
  std::shared_ptr<Mailbox> door_ = std::make_shared<Mailbox>(io_);
  WorkerPool pool_{2, 100};
};

}  // namespace spv::serve::electrum
