#include "wallet/account.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/vectors.h"
#include "util/hex.h"
#include "wallet/address.h"

namespace spv::wallet {
namespace {

using chain::Network;
using chain::params;
using testing::HasSubstr;

constexpr std::string_view kAbandon =
    "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about";
constexpr std::string_view kZpub =
    "zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs";
constexpr std::string_view kXpub =
    "xpub6CatWdiZiodmUeTDp8LT5or8nmbKNcuyvz7WyksVFkKB4RHwCD3XyuvPEbvqAQY3rAPshWcMLoP2fMFMKHPJ4ZeZXYVUhLv1VMrjPC7PW6V";

Seed seed_of(std::string_view words, std::string_view passphrase = "") {
  return Mnemonic::parse(words)->seed(passphrase).value();
}

std::string address_at(const Descriptor& descriptor, std::uint32_t index, Network network) {
  return address_of_script(descriptor.script_at(index).value(), params(network)).value_or("");
}

TEST(Account, Bip84AccountByHand) {
  const auto descriptors = account_descriptors(seed_of(kAbandon), ScriptKind::Wpkh, 0, params(Network::Main)).value();
  ASSERT_EQ(descriptors.size(), 2U);
  EXPECT_EQ(descriptors[0].to_string().substr(0, 30), "wpkh([73c5da0a/84'/0'/0']xpub6");
  EXPECT_EQ(address_at(descriptors[0], 0, Network::Main), "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu");
  EXPECT_EQ(address_at(descriptors[0], 1, Network::Main), "bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g");
  EXPECT_EQ(address_at(descriptors[1], 0, Network::Main), "bc1q8c6fshw2dlwun7ekn9qwf37cu2rn755upcp6el");
  EXPECT_EQ(descriptors[0].path_at(5), "m/84'/0'/0'/0/5");
  EXPECT_EQ(descriptors[1].path_at(0), "m/84'/0'/0'/1/0");
}

TEST(Account, EachScriptKindHasItsFormAndPurpose) {
  const auto first = [](ScriptKind kind) {
    return account_descriptors(seed_of(kAbandon), kind, 0, params(Network::Main)).value()[0];
  };
  EXPECT_EQ(address_at(first(ScriptKind::Pkh), 0, Network::Main), "1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabA");
  EXPECT_EQ(address_at(first(ScriptKind::ShWpkh), 0, Network::Main), "37VucYSaXLCAsxYyAPfbSi9eh4iEcbShgf");
  EXPECT_EQ(address_at(first(ScriptKind::Tr), 0, Network::Main),
            "bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr");
  for (const auto kind : {ScriptKind::Pkh, ScriptKind::ShWpkh, ScriptKind::Wpkh, ScriptKind::Tr}) {
    EXPECT_EQ(parse_script_kind(to_string(kind)), kind);
  }
  EXPECT_FALSE(parse_script_kind("all"));
}

TEST(Account, PrintedDescriptorsParseToTheSameScripts) {
  for (const auto kind : {ScriptKind::Pkh, ScriptKind::ShWpkh, ScriptKind::Wpkh, ScriptKind::Tr}) {
    const auto descriptors = account_descriptors(seed_of(kAbandon), kind, 3, params(Network::Regtest)).value();
    for (const auto& descriptor : descriptors) {
      const auto again = Descriptor::parse(descriptor.to_string(), params(Network::Regtest));
      ASSERT_TRUE(again) << again.error().message;
      ASSERT_EQ(again->size(), 1U);
      EXPECT_EQ((*again)[0].to_string(), descriptor.to_string());
      EXPECT_EQ((*again)[0].script_at(7), descriptor.script_at(7));
      EXPECT_EQ((*again)[0].path_at(7), descriptor.path_at(7));
    }
  }
}

TEST(Account, APrivateDescriptorGivesTheSameScriptsAndOnlyOfItsOwnSeed) {
  const auto& params = chain::params(chain::Network::Testnet4);
  const auto words = Mnemonic::parse(
      "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon "
      "abandon about");
  const auto seed = words->seed("").value();
  const auto other = words->seed("another").value();
  for (const ScriptKind kind : {ScriptKind::Pkh, ScriptKind::ShWpkh, ScriptKind::Wpkh, ScriptKind::Tr}) {
    const auto descriptors = account_descriptors(seed, kind, 7, params);
    ASSERT_TRUE(descriptors.has_value());
    for (const Descriptor& descriptor : *descriptors) {
      const auto secret = private_descriptor(descriptor, seed, params);
      ASSERT_TRUE(secret.has_value());
      const std::string text(secret->begin(), secret->end());
      EXPECT_NE(text.find("tprv"), std::string::npos);
      const auto parsed = Descriptor::parse(text, params);
      ASSERT_TRUE(parsed.has_value()) << "its checksum is right";
      EXPECT_EQ(parsed->at(0).script_at(5), descriptor.script_at(5));
      EXPECT_FALSE(private_descriptor(descriptor, other, params).has_value());
    }
  }
}

TEST(Account, MasterFingerprintIsTheOneOtherWalletsShow) {
  EXPECT_EQ(util::to_hex(master_fingerprint(seed_of(kAbandon)).value()), "73c5da0a");
}

TEST(Account, AnXpubGivesTheSameScriptsAsTheSeed) {
  const auto of_seed = account_descriptors(seed_of(kAbandon), ScriptKind::Wpkh, 0, params(Network::Main)).value();
  for (const std::string& text :
       {std::string(kXpub), std::string(kZpub), "[73c5da0a/84h/0h/0h]" + std::string(kXpub)}) {
    const auto of_xpub = descriptors_of_xpub(text, ScriptKind::Wpkh, params(Network::Main));
    ASSERT_TRUE(of_xpub) << of_xpub.error().message;
    ASSERT_EQ(of_xpub->size(), 2U);
    EXPECT_EQ((*of_xpub)[0].script_at(3), of_seed[0].script_at(3));
    EXPECT_EQ((*of_xpub)[1].script_at(3), of_seed[1].script_at(3));
  }
}

TEST(Account, WithoutAKindThePrefixDecides) {
  EXPECT_TRUE(
      descriptors_of_xpub(kZpub, std::nullopt, params(Network::Main))->front().to_string().starts_with("wpkh("));
  EXPECT_TRUE(
      descriptors_of_xpub(kXpub, std::nullopt, params(Network::Main))->front().to_string().starts_with("wpkh("));
  constexpr std::string_view kUpub =
      "upub5EFU65HtV5TeiSHmZZm7FUffBGy8UKeqp7vw43jYbvZPpoVsgU93oac7Wk3u6moKegAEWtGNF8DehrnHtv21XXEMYRUocHqguyjknFHYfgY";
  const auto nested = descriptors_of_xpub(kUpub, std::nullopt, params(Network::Testnet3));
  ASSERT_TRUE(nested) << nested.error().message;
  EXPECT_EQ(address_at((*nested)[0], 0, Network::Testnet3), "2Mww8dCYPUpKHofjgcXcBCEGmniw9CoaiD2");
}

TEST(Account, W12_XpubErrorsSayWhatToDo) {
  const auto reason = [](std::string_view text, ScriptKind kind, Network network) {
    const auto descriptors = descriptors_of_xpub(text, kind, params(network));
    EXPECT_FALSE(descriptors) << text;
    return descriptors ? std::string() : descriptors.error().message;
  };
  EXPECT_THAT(reason(kZpub, ScriptKind::Tr, Network::Main), HasSubstr("implies the script type wpkh, not tr"));
  EXPECT_THAT(reason(kZpub, ScriptKind::Wpkh, Network::Regtest), HasSubstr("tpub"));
  EXPECT_THAT(reason("xpub123", ScriptKind::Wpkh, Network::Main), HasSubstr("extended key"));
  EXPECT_THAT(reason("", ScriptKind::Wpkh, Network::Main), HasSubstr("extended key"));
  EXPECT_THAT(reason("[zz]" + std::string(kXpub), ScriptKind::Wpkh, Network::Main), HasSubstr("fingerprint"));
  EXPECT_THAT(
      reason("xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJg"
             "k33yuGBxrMPHi",
             ScriptKind::Wpkh, Network::Main),
      HasSubstr("private key"));
}

Network network_named(std::string_view name) {
  return name == "test" ? Network::Testnet3 : chain::parse_network(name).value();
}

ScriptKind kind_of_purpose(std::int64_t purpose) {
  for (const auto kind : {ScriptKind::Pkh, ScriptKind::ShWpkh, ScriptKind::Wpkh, ScriptKind::Tr}) {
    if (purpose_of(kind) == purpose) return kind;
  }
  ADD_FAILURE() << "no script kind for purpose " << purpose;
  return ScriptKind::Wpkh;
}

/// The last number of "m/84'/0'/17'".
std::uint32_t last_step(std::string_view path) {
  return static_cast<std::uint32_t>(std::stoul(std::string(path.substr(path.rfind('/') + 1))));
}

TEST(Account, W16_DerivedAccountsVectors) {
  SPV_VECTOR_FILE_OR_SKIP(path, "bip44/derived_accounts.json");
  const auto file = test::read_json(path);
  for (const auto& row : file.as_array()) {
    const auto network = network_named(std::string_view(row.at("network").as_string()));
    const auto seed =
        seed_of(std::string_view(row.at("mnemonic").as_string()), std::string_view(row.at("passphrase").as_string()));
    const auto kind = kind_of_purpose(row.at("purpose").as_int64());
    const std::string_view account = row.at("account_path").as_string();
    const auto descriptors = account_descriptors(seed, kind, last_step(account), params(network)).value();
    EXPECT_THAT(descriptors[0].to_string(), HasSubstr(std::string_view(row.at("account_xpub").as_string())));
    for (const auto& entry : row.at("addresses").as_array()) {
      const std::string_view key_path = entry.at("path").as_string();
      const bool change = key_path.substr(account.size() + 1).starts_with("1/");
      const auto& descriptor = descriptors[change ? 1 : 0];
      EXPECT_EQ(descriptor.path_at(last_step(key_path)), key_path);
      EXPECT_EQ(descriptor.script_at(last_step(key_path)), test::hex(entry.at("scriptPubKey")));
      EXPECT_EQ(address_at(descriptor, last_step(key_path), network),
                std::string_view(entry.at("address").as_string()));
    }
  }
}

/// The BIP's own example files: rows with a path and an address below one account of the "abandon" mnemonic.
void check_bip_example(const std::string& path, ScriptKind kind, Network network) {
  const auto descriptors = account_descriptors(seed_of(kAbandon), kind, 0, params(network)).value();
  int checked = 0;
  const auto file = test::read_json(path);
  for (const auto& row : file.as_array()) {
    const auto& facts = row.as_object();
    if (const auto* address = facts.if_contains("address")) {
      const std::string key_path(facts.contains("path") ? std::string_view(facts.at("path").as_string())
                                                        : std::string_view("m/0/0"));
      const bool change = key_path.ends_with("/1/" + std::to_string(last_step(key_path)));
      EXPECT_EQ(address_at(descriptors[change ? 1 : 0], last_step(key_path), network),
                std::string_view(address->as_string()));
      ++checked;
    }
    const auto* xpub = facts.contains("account0Xpub") ? &facts.at("account0Xpub") : facts.if_contains("xpub");
    if (xpub != nullptr && std::ranges::count(std::string(facts.at("path").as_string()), '/') == 3) {
      const auto of_xpub = descriptors_of_xpub(std::string_view(xpub->as_string()), kind, params(network));
      ASSERT_TRUE(of_xpub) << of_xpub.error().message;
      EXPECT_EQ((*of_xpub)[0].script_at(0), descriptors[0].script_at(0));
      ++checked;
    }
  }
  EXPECT_GT(checked, 1);
}

TEST(Account, Bip49Example) {
  SPV_VECTOR_FILE_OR_SKIP(path, "bip49/bip49.json");
  check_bip_example(path, ScriptKind::ShWpkh, Network::Testnet3);
}

TEST(Account, Bip84Example) {
  SPV_VECTOR_FILE_OR_SKIP(path, "bip84/bip84.json");
  check_bip_example(path, ScriptKind::Wpkh, Network::Main);
}

TEST(Account, Bip86Example) {
  SPV_VECTOR_FILE_OR_SKIP(path, "bip86/bip86.json");
  check_bip_example(path, ScriptKind::Tr, Network::Main);
}

}  // namespace
}  // namespace spv::wallet
