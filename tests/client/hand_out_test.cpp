#include "client/hand_out.h"

#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "client/new_wallet.h"
#include "tests/support/temp_dir.h"
#include "tests/wallet/wallet_samples.h"
#include "wallet/address.h"

namespace spv::client {
namespace {

using Reason = NoAddressGiven::Reason;

class HandOut : public testing::Test {
 protected:
  std::shared_ptr<store::Store> open_store() const {
    return make_store({folder_.file("data"), chain::Network::Main}, chain::Network::Main);
  }
  void create(const std::string& name, std::vector<wallet::KeyChainConfig> chains, std::uint32_t gap_limit = 50) const {
    NewWallet wallet;
    wallet.chains = std::move(chains);
    wallet.gap_limit = gap_limit;
    DataFolder(folder_.file("data"), chain::Network::Main).make();
    open_store()->create(name, to_stored(chain::Network::Main, std::move(wallet)));
  }
  util::Expected<Address, NoAddressGiven> take(const std::string& name, const AddressWanted& wanted) const {
    return hand_out(open_store(), name, wanted, params_);
  }

  test::TempDir folder_;
  const chain::NetworkParams& params_ = chain::params(chain::Network::Main);
};

TEST_F(HandOut, TheCurrentOneStaysAndANewOneIsNew) {
  create("shop", test::sample_config().key_chains);
  const auto first = take("shop", {});
  ASSERT_TRUE(first);
  EXPECT_EQ(first->address, wallet::address_of_script(test::receive_script(0), params_));
  EXPECT_EQ(take("shop", {})->address, first->address);
  const auto second = take("shop", {.advance = true});
  EXPECT_EQ(second->address, wallet::address_of_script(test::receive_script(1), params_));
  EXPECT_EQ(take("shop", {})->address, second->address) << "the one last given, while it is unused";
  EXPECT_EQ(take("shop", {.change = true})->address, wallet::address_of_script(test::change_script(0), params_));
}

TEST_F(HandOut, T1_NobodyGetsTheSameAddressAtTheSameTime) {
  create("shop", test::sample_config().key_chains);
  std::array<std::vector<std::string>, 4> taken;
  {
    std::vector<std::jthread> threads;
    for (auto& mine : taken) {
      threads.emplace_back([&] {
        const auto store = open_store();
        for (int i = 0; i < 8; ++i) mine.push_back(hand_out(store, "shop", {.advance = true}, params_)->address);
      });
    }
  }
  std::set<std::string> all;
  for (const auto& mine : taken) all.insert(mine.begin(), mine.end());
  EXPECT_EQ(all.size(), 32U);
}

TEST_F(HandOut, SaysWhyThereIsNone) {
  create("fixed", {{test::parse_descriptors("raw(51)")[0], false}});
  create("small", test::sample_config().key_chains, 2);
  EXPECT_EQ(take("fixed", {.change = true}).error().reason, Reason::NoChain);
  EXPECT_EQ(take("small", {.type = "tr"}).error().reason, Reason::NoChain);
  ASSERT_TRUE(take("fixed", {}));
  EXPECT_EQ(take("fixed", {.advance = true}).error().reason, Reason::Fixed);
  ASSERT_TRUE(take("small", {.advance = true}));
  ASSERT_TRUE(take("small", {.advance = true}));
  const auto none = take("small", {.advance = true});
  EXPECT_EQ(none.error().reason, Reason::GapLimit);
  EXPECT_EQ(
      to_error(none.error()).message,
      "2 unused addresses are handed out already, which is the gap limit; use one of them or raise the gap limit");
}

TEST_F(HandOut, OneWhomOthersAlwaysForestallGivesUp) {
  create("shop", test::sample_config().key_chains, 500);
  int opened = 0;
  const auto store = open_store();
  const auto none = hand_out(
      [&](store::Access access) {
        auto open = open_wallet(store, "shop", access);
        // Between this look at the wallet and its end, another one takes the same address.
        EXPECT_TRUE(hand_out(store, "shop", {.advance = true}, params_));
        ++opened;
        return open;
      },
      {.advance = true}, params_);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().reason, Reason::Contended);
  EXPECT_EQ(opened, 100);
}

}  // namespace
}  // namespace spv::client
