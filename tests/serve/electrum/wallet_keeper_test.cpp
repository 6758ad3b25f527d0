// The books follow the wallets: as they are found, change, get other names and go.
#include "serve/electrum/wallet_keeper.h"

#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/serve/electrum/server_fixture.h"
#include "wallet/descriptor.h"

namespace spv::serve::electrum {
namespace {

using Kind = Books::Found::Kind;

class WalletKeeperTest : public ServerTest {
 protected:
  void load() {
    keeper_.look_at_all();
    ASSERT_TRUE(run_until([&] { return world_.is_loaded; }));
  }
  static ScriptHash shop_script(std::uint32_t index) {
    const auto& params = chain::params(chain::Network::Regtest);
    return hash_of_script(*wallet::Descriptor::parse(test::kShop, params)->at(0).script_at(index));
  }

  World world_;
  std::vector<ScriptHash> changed_;
  int looks_ = 0;
  WalletKeeper keeper_{client_,
                       world_,
                       door_,
                       {.reading = pool_, .slow = pool_},
                       [this](const auto& changed) {
                         ++looks_;
                         changed_.insert(changed_.end(), changed.begin(), changed.end());
                       },
                       nullptr};
};

TEST_F(WalletKeeperTest, WithoutWalletsTheBooksAreLoadedAtOnce) {
  load();
  EXPECT_EQ(world_.books.size(), 0U);
}

TEST_F(WalletKeeperTest, LoadsAllWalletsAndSaysWhatHasAHistory) {
  ASSERT_TRUE(follow_one());
  ASSERT_TRUE(backend_.create("two", paid(2)));
  ASSERT_TRUE(total_is("two", 7'000));
  load();
  EXPECT_EQ(world_.books.names(), (std::set<std::string>{"one", "two"}));
  EXPECT_THAT(changed_, testing::UnorderedElementsAre(script_of_one(), hash_of_script(test::script(2))));
  EXPECT_EQ(world_.books.find(script_of_one()).kind, Kind::Known);
}

TEST_F(WalletKeeperTest, LooksAgainAtAWalletOfWhichThereIsNews) {
  ASSERT_TRUE(follow_one());
  load();
  changed_.clear();
  keeper_.look_at("one");
  const int before = looks_;
  ASSERT_TRUE(run_until([&] { return looks_ > before; }));
  EXPECT_TRUE(changed_.empty()) << "nothing is new";
  mine({test::TxBuilder().pays(test::script(1), 9'000).build()});
  ASSERT_TRUE(total_is("one", 14'000));
  keeper_.look_at("one");
  ASSERT_TRUE(run_until([&] { return !changed_.empty(); }));
  EXPECT_EQ(changed_, std::vector<ScriptHash>{script_of_one()});
  EXPECT_EQ(world_.books.history(script_of_one()).lines.size(), 2U);
}

TEST_F(WalletKeeperTest, AWalletThatIsDeletedIsAStranger) {
  ASSERT_TRUE(follow_one());
  load();
  ASSERT_TRUE(backend_.remove("one"));
  keeper_.look_at("one");
  ASSERT_TRUE(run_until([&] { return world_.books.size() == 0; }));
  EXPECT_EQ(world_.books.find(script_of_one()).kind, Kind::Stranger);
}

TEST_F(WalletKeeperTest, AfterARenamingTheOldNameIsForgotten) {
  ASSERT_TRUE(follow_one());
  auto old = std::make_shared<WalletView>(*view("one"));
  old->name = "before";
  world_.books.put(old);
  keeper_.look_at_all();
  ASSERT_TRUE(run_until([&] { return world_.is_loaded; }));
  EXPECT_EQ(world_.books.names(), std::set<std::string>{"one"});
}

TEST_F(WalletKeeperTest, LooksAtWalletsThatAreBeingScannedWhileSomebodyWaits) {
  live_.hold_back_to(11);
  ASSERT_TRUE(client_.start());
  ASSERT_TRUE(backend_.create("one", paid(1)));
  load();
  EXPECT_EQ(world_.books.find(script_of_one()).kind, Kind::Scanning);
  live_.let_go();
  ASSERT_TRUE(total_is("one", 5'000));
  keeper_.tick(false);
  EXPECT_EQ(world_.books.find(script_of_one()).kind, Kind::Scanning) << "nobody waits, and no event has come";
  keeper_.tick(true);
  EXPECT_TRUE(run_until([&] { return world_.books.find(script_of_one()).kind == Kind::Known; }));
}

TEST_F(WalletKeeperTest, RecognizesAddressesFarAheadAndWatchesThemOnRequest) {
  ASSERT_TRUE(client_.start());
  ASSERT_TRUE(height_is(22));
  ASSERT_TRUE(backend_.create("shop", of({.descriptors = {test::kShop}}, 5)));
  ASSERT_TRUE(total_is("shop", 0));
  load();
  const auto far = shop_script(900);
  EXPECT_EQ(world_.books.find(far).kind, Kind::Stranger);
  keeper_.look_ahead();
  ASSERT_TRUE(run_until([&] { return world_.is_ahead; }));
  const auto found = world_.books.find(far);
  EXPECT_EQ(found.kind, Kind::Ahead);
  EXPECT_EQ(found.place, (ScriptPlace{"shop", 0, 900}));
  keeper_.widen(found.place);
  EXPECT_TRUE(run_until([&] {
    keeper_.tick(true);
    return world_.books.find(far).kind == Kind::Known;
  })) << "it is watched, and the chain is scanned for it";
}

TEST_F(WalletKeeperTest, WhatCannotBeReadNowIsReadWithTheNextTick) {
  ASSERT_TRUE(follow_one());
  WorkerPool busy(1, 1);
  std::promise<void> begun;
  std::promise<void> free;
  ASSERT_TRUE(busy.post([&] {
    begun.set_value();
    free.get_future().wait();
  }));
  begun.get_future().wait();
  ASSERT_TRUE(busy.post([] {}));
  WalletKeeper keeper(
      client_, world_, door_, {.reading = busy, .slow = busy}, [this](const auto&) { ++looks_; }, nullptr);
  keeper.look_at("one");
  free.set_value();
  ASSERT_TRUE(run_until([&] {
    keeper.tick(false);
    return looks_ > 0;
  }));
  EXPECT_NE(world_.books.view("one"), nullptr);
  busy.stop();
}

}  // namespace
}  // namespace spv::serve::electrum
