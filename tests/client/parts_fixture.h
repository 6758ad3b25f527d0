// What the tests of the client's parts share: wallets in a store that fails when a test says so, a clock that a test
// moves, and no thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "client/client_setup.h"
#include "client/events.h"
#include "client/new_wallet.h"
#include "client/open_wallets.h"
#include "client/settings.h"
#include "tests/client/client_fixture.h"
#include "tests/client/troubled_store.h"
#include "tests/support/tx_builder.h"

namespace spv::test {

class ClientParts : public testing::Test {
 protected:
  /// At this rate a filter holds 115 elements: one crowd() and a few scripts.
  static constexpr double kNarrow = 1e-78;

  explicit ClientParts(NetworkId network = NetworkId::Regtest)
      : setup_{.options = given(network),
               .params = chain::params(client::to_network(network)),
               .clock = [this] { return now_; },
               .folder = client::DataFolder(dir_.file("data"), client::to_network(network)),
               .store = {}} {
    setup_.folder.make();
    store_ = std::make_shared<TroubledStore>(setup_.folder, setup_.params.network);
    setup_.store = store_;
    store_->on_write = [this] {
      ++writes_;
      now_.monotonic += per_write_;
    };
  }

  /// A wallet that watches one address.
  client::Held& open(client::OpenWallets& wallets, const std::string& name, std::uint8_t number = 1,
                     chain::Height birthday = 0) {
    const auto watched = *wallet::address_of_script(script(number), setup_.params);
    return open(wallets, name, "addr(" + watched + ")", 1, birthday);
  }
  /// A wallet of 100 scripts, times the factor.
  client::Held& open_crowd(client::OpenWallets& wallets, const std::string& name, std::uint32_t factor = 1) {
    return open(
        wallets, name,
        "wpkh(tpubDC8msFGeGuwnKG9Upg7DM2b4DaRqg3CUZa5g8v2SRQ6K4NSkxUgd7HsL2XVWbVm39yBA4LAxysQAm397zwQSQoQgewGiYZ"
        "qrA9DsP4zbQ1M/<0;1>/*)",
        5 * factor, 0);
  }
  client::Held& open(client::OpenWallets& wallets, const std::string& name, const std::string& descriptor,
                     std::uint32_t gap_limit, chain::Height birthday) {
    client::NewWallet fresh;
    client::add_pairs(*wallet::Descriptor::parse(descriptor, setup_.params), fresh.chains);
    fresh.gap_limit = gap_limit;
    fresh.birthday.height = birthday;
    store_->create(name, client::to_stored(setup_.params.network, std::move(fresh)), {});
    client::Held& held = wallets.open(name, client::open_wallet(store_, name, store::Access::Write));
    writes_ = 0;
    return held;
  }
  /// The wallet as the store has it.
  [[nodiscard]] wallet::Wallet stored(const std::string& name) const { return stored_wallet(store_, name); }
  [[nodiscard]] chain::Height stored_height(const std::string& name) const {
    return stored(name).scan().scanned_to.height;
  }
  static chain::BlockRef block_at(chain::Height height, std::uint8_t branch = 0) {
    chain::BlockRef block{.height = height, .hash = {}};
    block.hash.bytes[0] = static_cast<std::uint8_t>(height);
    block.hash.bytes[1] = branch;
    block.hash.bytes[31] = 1;
    return block;
  }
  /// The wallet is scanned to this block, and nothing else.
  static client::MemberChanges scanned(client::Held& held, chain::Height height) {
    return {held.id, held.open.wallet.set_scan({.scanned_to = block_at(height), .backfill = {}, .anchors = {}})};
  }
  static client::MemberChanges paid(client::Held& held, const chain::Transaction& tx) {
    return {held.id, held.open.wallet.apply_unconfirmed(tx, 1'700'000'000)};
  }

  /// All that was told since the last call.
  std::vector<Event> told() {
    std::vector<Event> out;
    while (auto event = events_.queue().pop(0ms)) out.push_back(std::move(*event));
    return out;
  }
  /// The same, where it is all of one kind.
  template <typename E>
  std::vector<E> told_only() {
    std::vector<E> out;
    for (const auto& event : told()) {
      EXPECT_TRUE(std::holds_alternative<E>(event)) << "kind " << event.index();
      if (const auto* wanted = std::get_if<E>(&event)) out.push_back(*wanted);
    }
    return out;
  }

  TempDir dir_;
  std::shared_ptr<TroubledStore> store_;
  int writes_ = 0;              // since the last wallet was made
  util::Duration per_write_{};  // what each takes
  util::Now now_{.monotonic = util::TimePoint{} + 1'000s, .wall = 1'700'000'000};
  client::ClientSetup setup_;
  client::Events events_;

 private:
  Options given(NetworkId network) const {
    Options out;
    out.data_dir = dir_.file("data");
    out.network = network;
    out.peers = {"127.0.0.1:1"};
    out.mempool_wait = 0ms;
    return out;
  }
};

}  // namespace spv::test
