// A wallet that is built with the scripts that its store has: nothing is derived again, and nothing is believed where
// money would follow.
#include <gtest/gtest.h>

#include "tests/wallet/wallet_samples.h"
#include "util/hex.h"
#include "wallet/wallet.h"

namespace spv::wallet {
namespace {

using test::TxBuilder;

constexpr std::uint32_t kGap = 5;

ScriptList receive_scripts(std::uint32_t from, std::uint32_t to) {
  ScriptList scripts;
  for (; from < to; ++from) scripts.push_back(test::receive_script(from));
  return scripts;
}

/// What a store that has seen all of it would give.
std::vector<ScriptList> stored_by(const Wallet& wallet) {
  std::vector<ScriptList> stored(wallet.config().key_chains.size());
  for (std::size_t chain = 0; chain < stored.size(); ++chain) {
    for (std::uint32_t index = 0; index < wallet.watched(chain); ++index) {
      stored[chain].push_back(*wallet.config().key_chains[chain].descriptor.script_at(index));
    }
  }
  return stored;
}

class StoredScripts : public ::testing::Test {
 protected:
  StoredScripts() : stored_(stored_by(Wallet(config_, Wallet::fresh_state(config_)))) {}

  [[nodiscard]] Wallet opened() const {
    WalletState state = Wallet::fresh_state(config_);
    state.scripts = stored_;
    return {config_, std::move(state)};
  }
  /// Puts a script of somebody else in the place of one of ours.
  void plant(std::size_t chain, std::size_t index) {
    ScriptList changed = stored_[chain];
    changed.truncate(index);
    changed.push_back(test::foreign_script());
    changed.append(stored_[chain].from(index + 1));
    stored_[chain] = changed;
  }

  WalletConfig config_ = test::sample_config(kGap);
  std::vector<ScriptList> stored_;
};

TEST_F(StoredScripts, AreTakenAsTheyAreAndFoundLikeDerivedOnes) {
  const Wallet derived(config_, Wallet::fresh_state(config_));
  Wallet wallet = opened();
  EXPECT_EQ(wallet.watched_scripts(), derived.watched_scripts());
  EXPECT_EQ(wallet.filter_elements(), derived.filter_elements());
  EXPECT_EQ(wallet.script_count(), 100U);
  EXPECT_EQ(wallet.key_of(test::receive_script(49)), (KeyId{0, 49}));
  EXPECT_TRUE(wallet.take_derived().empty());
}

TEST_F(StoredScripts, NothingIsDerivedForThem) {
  plant(0, 7);  // nobody would notice unless it were derived
  EXPECT_TRUE(opened().watches(test::foreign_script()));
  EXPECT_FALSE(opened().watches(test::receive_script(7)));
}

TEST_F(StoredScripts, WhatIsMissingIsDerivedAndReportedOnce) {
  stored_[0].truncate(20);
  stored_.resize(1);  // none of the change chain
  Wallet wallet = opened();
  EXPECT_EQ(wallet.watched_scripts(), Wallet(config_, Wallet::fresh_state(config_)).watched_scripts());
  const Changes changes = wallet.take_derived();
  ASSERT_EQ(changes.scripts.size(), 2U);
  EXPECT_EQ(changes.scripts[0], (ChainScripts{.chain = 0, .first = 20, .scripts = receive_scripts(20, 50)}));
  EXPECT_EQ(changes.scripts[1].first, 0U);
  EXPECT_EQ(changes.scripts[1].scripts.size(), 50U);
  EXPECT_TRUE(wallet.take_derived().empty());
}

TEST_F(StoredScripts, MoreThanAreWatchedAreDropped) {
  stored_[0].append(receive_scripts(50, 60));
  Wallet wallet = opened();
  EXPECT_EQ(wallet.script_count(), 100U);
  EXPECT_FALSE(wallet.watches(test::receive_script(50)));
}

TEST_F(StoredScripts, AWiderWindowIsDerivedAndComesWithTheStepThatNeedsIt) {
  Wallet wallet = opened();
  EXPECT_TRUE(test::confirm(wallet, TxBuilder().pays(test::receive_script(44), 5).build(), 10).scripts.empty());
  const auto changes = test::confirm(wallet, TxBuilder().pays(test::receive_script(46), 5).build(), 11);
  EXPECT_TRUE(changes.widened);
  EXPECT_EQ(changes.key_chains.at(0).state.watched, 100U);
  const std::vector<ChainScripts> expected = {{.chain = 0, .first = 50, .scripts = receive_scripts(50, 100)}};
  EXPECT_EQ(changes.scripts, expected);
  EXPECT_TRUE(wallet.watches(test::receive_script(99)));
  EXPECT_TRUE(wallet.take_derived().empty()) << "reported already";
}

TEST_F(StoredScripts, TwoWideningsInOneStepAreOneRunOfScripts) {
  Wallet wallet = opened();
  const auto both = TxBuilder().pays(test::receive_script(0), 5).pays(test::receive_script(97), 7).build();
  test::confirm(wallet, both, 10);
  const auto changes = test::confirm(wallet, TxBuilder().pays(test::receive_script(46), 5).build(), 11);
  const std::vector<ChainScripts> expected = {{.chain = 0, .first = 50, .scripts = receive_scripts(50, 200)}};
  EXPECT_EQ(changes.scripts, expected);
}

// --- foreign ones -------------------------------------------------------------------------------------------------

TEST_F(StoredScripts, AForeignOneIsNeverHandedOut) {
  plant(0, 1);
  Wallet wallet = opened();
  EXPECT_EQ(wallet.issue_address(false, true)->entry.script, test::receive_script(0));
  const auto refused = wallet.issue_address(false, true);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), NoAddress::Damaged);
}

TEST_F(StoredScripts, AForeignOneIsNeverTheCurrentAddress) {
  plant(0, 0);
  Wallet wallet = opened();
  EXPECT_EQ(wallet.issue_address(false, false).error(), NoAddress::Damaged);
  EXPECT_EQ(wallet.issue_address(false, false).error(), NoAddress::Damaged) << "nor when asked again";
}

TEST_F(StoredScripts, AForeignOneTakesNoChange) {
  plant(1, 0);
  const Wallet wallet = opened();
  EXPECT_EQ(wallet.next_script(1).error(), NoAddress::Damaged);
  EXPECT_EQ(wallet.next_script(0)->script, test::receive_script(0));
}

TEST_F(StoredScripts, AForeignOneIsNotListedWithTheAddresses) {
  plant(0, 2);
  Wallet wallet = opened();
  EXPECT_TRUE(wallet.addresses()) << "it is beyond those that are shown";
  test::confirm(wallet, TxBuilder().pays(test::receive_script(3), 5).build(), 10);
  ASSERT_FALSE(wallet.addresses());
  EXPECT_EQ(wallet.addresses().error(), NoAddress::Damaged);
}

TEST_F(StoredScripts, AForeignOneIsNotOursToThoseWhoPay) {
  plant(0, 9);
  const Wallet wallet = opened();
  EXPECT_FALSE(wallet.key_of(test::foreign_script()));
  EXPECT_FALSE(wallet.key_of(test::receive_script(9)));
  EXPECT_EQ(wallet.key_of(test::receive_script(8)), (KeyId{0, 8}));
}

TEST_F(StoredScripts, AScriptOfAnotherIndexIsForeign) {
  ScriptList swapped;
  swapped.push_back(test::receive_script(1));
  swapped.push_back(test::receive_script(0));
  swapped.append(stored_[0].from(2));
  stored_[0] = swapped;
  EXPECT_EQ(opened().issue_address(false, false).error(), NoAddress::Damaged);
}

TEST_F(StoredScripts, AnEmptyOneIsPassedOver) {
  ScriptList holed;
  holed.push_back({});
  holed.append(stored_[0].from(1));
  stored_[0] = holed;
  EXPECT_EQ(opened().issue_address(false, true)->entry.index, 1U);
}

TEST_F(StoredScripts, WhatWasDerivedHereNeedsNoProof) {
  Wallet wallet = opened();
  test::confirm(wallet, TxBuilder().pays(test::receive_script(49), 5).build(), 10);
  EXPECT_EQ(wallet.issue_address(false, true)->entry.script, test::receive_script(50));
  EXPECT_EQ(wallet.addresses()->size(), 52U) << "51 to receive, one for change";
}

TEST_F(StoredScripts, OneThatIsInTwoChainsIsFoundInBoth) {
  config_ = test::sample_config(2);
  const auto fixed = test::parse_descriptors("raw(" + util::to_hex(test::receive_script(18)) + ")").at(0);
  config_.key_chains.insert(config_.key_chains.begin(), {.descriptor = fixed, .change = false});
  stored_ = stored_by(Wallet(config_, Wallet::fresh_state(config_)));
  Wallet wallet = opened();
  EXPECT_EQ(wallet.key_of(test::receive_script(18)), (KeyId{1, 18}));
  const auto changes = test::confirm(wallet, TxBuilder().pays(test::receive_script(18), 100).build(), 10);
  EXPECT_EQ(changes.key_chains.size(), 2U);
  EXPECT_TRUE(changes.widened);
  const std::vector<ChainScripts> expected = {{.chain = 1, .first = 20, .scripts = receive_scripts(20, 40)}};
  EXPECT_EQ(changes.scripts, expected);
}

}  // namespace
}  // namespace spv::wallet
