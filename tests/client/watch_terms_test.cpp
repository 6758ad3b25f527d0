#include "client/watch_terms.h"

#include <gtest/gtest.h>

#include "client/birthday.h"
#include "tests/wallet/wallet_samples.h"
#include "wallet/address.h"

namespace spv::client {
namespace {

using Kind = WatchError::Kind;

const chain::NetworkParams& main_net() { return chain::params(chain::Network::Main); }

std::vector<std::string> texts_of(const std::vector<wallet::KeyChainConfig>& chains) {
  std::vector<std::string> out;
  for (const auto& chain : chains) {
    const auto text = chain.descriptor.to_string();
    out.push_back(text.substr(0, text.find('(')) + (chain.change ? " change" : ""));
  }
  return out;
}
using Texts = std::vector<std::string>;

TEST(WatchTerms, AnXpubHasReceiveAndChangeChains) {
  EXPECT_EQ(texts_of(*chains_of_xpub(test::kXpub, "tr", main_net())), (Texts{"tr", "tr change"}));
  EXPECT_EQ(texts_of(*chains_of_xpub(test::kXpub, std::nullopt, main_net())), (Texts{"wpkh", "wpkh change"}));
  EXPECT_EQ(texts_of(*chains_of_xpub(test::kXpub, "all", main_net())),
            (Texts{"pkh", "pkh change", "sh", "sh change", "wpkh", "wpkh change", "tr", "tr change"}));
  EXPECT_EQ(chains_of_xpub(test::kXpub, "wsh", main_net()).error().message,
            "'wsh' is not a script type; use pkh, sh-wpkh, wpkh, tr or all");
  EXPECT_EQ(chains_of_xpub("xpub", "tr", main_net()).error().kind, Kind::BadXpub);
}

TEST(WatchTerms, WhatIsGivenTwiceIsWatchedOnce) {
  const std::string pair = "wpkh(" + std::string(test::kXpub) + "/<0;1>/*)";
  const std::string change = "wpkh(" + std::string(test::kXpub) + "/1/*)";
  const auto address = *wallet::address_of_script(test::foreign_script(), main_net());
  const auto chains = chains_to_watch(
      {.descriptors = {pair, change}, .xpub = test::kXpub, .script = "wpkh", .addresses = {address, address}},
      main_net());
  ASSERT_TRUE(chains);
  EXPECT_EQ(texts_of(*chains), (Texts{"wpkh", "wpkh change", "addr"}));
  EXPECT_TRUE(chains_to_watch({}, main_net())->empty());
}

TEST(WatchTerms, PrivateKeysAreRefused) {
  const std::string xprv =
      "xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi";
  EXPECT_EQ(chains_of_xpub(xprv, "wpkh", main_net()).error().kind, Kind::PrivateKey);
  EXPECT_EQ(chains_to_watch({.descriptors = {"wpkh(" + xprv + "/0/*)"}}, main_net()).error().kind, Kind::PrivateKey);
}

TEST(WatchTerms, SaysWhatIsWrong) {
  EXPECT_EQ(chains_to_watch({.descriptors = {"wpkh()"}}, main_net()).error().kind, Kind::BadDescriptor);
  EXPECT_EQ(chains_to_watch({.addresses = {"bcrt1q"}}, main_net()).error().kind, Kind::BadAddress);
}

TEST(Birthday, SaysWhichOfTheTwoIsWrong) {
  constexpr util::UnixTime kNow = 1'794'972'800;  // 2026-11-18
  const auto& regtest = chain::params(chain::Network::Regtest);
  EXPECT_EQ(parse_birthday("5000", regtest, kNow)->height, 5'000);
  EXPECT_EQ(parse_birthday("2024-04-20", regtest, kNow)->time, 1'713'571'200);
  EXPECT_EQ(parse_birthday("2099-01-01", regtest, kNow).error(), BirthdayError::InFuture);
  EXPECT_EQ(parse_birthday("2026-02-30", regtest, kNow).error(), BirthdayError::NotOne);
  EXPECT_EQ(parse_birthday("-5", regtest, kNow).error(), BirthdayError::NotOne);
}

}  // namespace
}  // namespace spv::client
