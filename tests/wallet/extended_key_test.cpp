#include "wallet/extended_key.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/vectors.h"
#include "util/hex.h"

namespace spv::wallet {
namespace {

using chain::Network;
using chain::params;
using testing::HasSubstr;

util::Bytes hex(std::string_view text) { return test::hex(text); }

const chain::NetworkParams& main_params() { return params(Network::Main); }

std::string text_of(const util::SecretBytes& secret) { return {secret.begin(), secret.end()}; }

/// "m/0'/1/2h" as child numbers.
KeyPath path_of(std::string_view text) {
  KeyPath path;
  while (text.find('/') != std::string_view::npos) {
    text.remove_prefix(text.find('/') + 1);
    const std::string step(text.substr(0, text.find('/')));
    const bool hardened = step.ends_with('\'') || step.ends_with('h') || step.ends_with('H');
    path.push_back(static_cast<std::uint32_t>(std::stoul(step)) + (hardened ? kHardened : 0));
  }
  return path;
}

ExtendedPrivateKey master(std::string_view seed) { return ExtendedPrivateKey::from_seed(hex(seed)).value(); }

constexpr std::string_view kXpub1 =
    "xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8";
constexpr std::string_view kXprv1 =
    "xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi";
constexpr std::string_view kSeed1 = "000102030405060708090a0b0c0d0e0f";

TEST(ExtendedKey, Bip32VectorOneByHand) {
  const auto root = master(kSeed1);
  EXPECT_EQ(text_of(root.to_text(main_params())), kXprv1);
  EXPECT_EQ(root.to_public().to_string(main_params()), kXpub1);
  EXPECT_EQ(util::to_hex(root.fingerprint()), "3442193e");
  const auto child = root.descend(path_of("m/0'/1/2'/2/1000000000"));
  ASSERT_TRUE(child);
  EXPECT_EQ(
      child->to_public().to_string(main_params()),
      "xpub6H1LXWLaKsWFhvm6RVpEL9P4KfRZSW7abD2ttkWP3SSQvnyA8FSVqNTEcYFgJS2UaFcxupHiYkro49S8yGasTvXEYBVPamhGW6cFJod"
      "rTHy");
}

TEST(ExtendedKey, W16_LeadingZerosOfAPrivateKeyAreKept) {
  // BIP32 vector 3: implementations that drop the zeros derive another child.
  const auto root = master(
      "4b381541583be4423346c643850da4b320e46a87ae3d2a4e6da11eba819cd4acba45d239319ac14f863b8d5ab5a0d0c64d2e8a1e7d1457df"
      "2"
      "e5a3c51c73235be");
  EXPECT_EQ(text_of(root.child(kHardened)->to_text(main_params())),
            "xprv9uPDJpEQgRQfDcW7BkF7eTya6RPxXeJCqCJGHuCJ4GiRVLzkTXBAJMu2qaMWPrS7AANYqdq6vcBcBUdJCVVFceUvJFjaPdGZ2y9WAC"
            "ViL4L");
}

TEST(ExtendedKey, PublicAndPrivateDerivationMeet) {
  const auto root = master(kSeed1);
  for (const std::uint32_t index : {0U, 1U, 2U, kHardened - 1}) {
    const auto by_private = root.child(index)->to_public().to_string(main_params());
    EXPECT_EQ(root.to_public().child(index)->to_string(main_params()), by_private) << index;
    EXPECT_EQ(root.to_public().child_key(index)->compressed(), root.child(index)->to_public().key().compressed());
  }
}

TEST(ExtendedKey, NothingIsDerivedBelowDepth255) {
  auto key = master(kSeed1);
  for (int depth = 0; depth < 255; ++depth) key = key.child(0).value();
  EXPECT_EQ(key.to_public().position().depth, 255);
  EXPECT_FALSE(key.child(0));
  EXPECT_FALSE(key.to_public().child(0));
}

TEST(ExtendedKey, TextGoesBothWaysOnEveryNetwork) {
  for (const auto network : {Network::Main, Network::Testnet3, Network::Testnet4, Network::Signet, Network::Regtest}) {
    const auto key = master(kSeed1).child(7).value();
    const auto as_public = ExtendedPublicKey::parse(key.to_public().to_string(params(network)), params(network));
    ASSERT_TRUE(as_public) << as_public.error().message;
    EXPECT_EQ(as_public->key().compressed(), key.to_public().key().compressed());
    EXPECT_EQ(as_public->position(), key.to_public().position());
    const auto as_private = ExtendedPrivateKey::parse(text_of(key.to_text(params(network))), params(network));
    ASSERT_TRUE(as_private) << as_private.error().message;
    EXPECT_EQ(as_private->key().bytes, key.key().bytes);
  }
}

TEST(ExtendedKey, ErrorsSayWhatIsWrong) {
  const auto reason = [](std::string_view text, Network network) {
    const auto key = ExtendedPublicKey::parse(text, params(network));
    EXPECT_FALSE(key) << text;
    return key ? std::string() : key.error().message;
  };
  EXPECT_THAT(reason(kXpub1, Network::Regtest), HasSubstr("regtest, where keys begin with tpub"));
  EXPECT_THAT(reason(kXprv1, Network::Main), HasSubstr("private key"));
  EXPECT_THAT(reason("", Network::Main), HasSubstr("length"));
  EXPECT_THAT(reason("xpub0", Network::Main), HasSubstr("character"));
  std::string typo(kXpub1);
  typo.back() = '9';
  EXPECT_THAT(reason(typo, Network::Main), HasSubstr("checksum"));
  EXPECT_THAT(ExtendedPrivateKey::parse(kXpub1, main_params()).error().message, HasSubstr("public key"));
}

TEST(ExtendedKey, ErrorsNeverHoldThePrivateKey) {
  std::string typo(kXprv1);
  typo[50] = typo[50] == '2' ? '3' : '2';
  for (const std::string& text : {std::string(kXprv1), typo}) {
    for (const auto network : {Network::Main, Network::Regtest}) {
      const auto key = ExtendedPublicKey::parse(text, params(network));
      ASSERT_FALSE(key);
      EXPECT_THAT(key.error().message, testing::Not(HasSubstr(text.substr(4, 20))));
    }
  }
}

TEST(ExtendedKey, Slip132PrefixesNameTheirScriptType) {
  constexpr std::string_view kZpub =
      "zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs";
  const auto prefix = extended_key_prefix(kZpub);
  ASSERT_TRUE(prefix);
  EXPECT_EQ(prefix->name, "zpub");
  EXPECT_EQ(prefix->implies, ScriptKind::Wpkh);
  EXPECT_TRUE(prefix->is_main);
  EXPECT_EQ(
      *to_bip32_prefix(kZpub),
      "xpub6CatWdiZiodmUeTDp8LT5or8nmbKNcuyvz7WyksVFkKB4RHwCD3XyuvPEbvqAQY3rAPshWcMLoP2fMFMKHPJ4ZeZXYVUhLv1VMrjPC7"
      "PW6V");
  EXPECT_FALSE(to_bip32_prefix(kXprv1));
  EXPECT_FALSE(extended_key_prefix("zpub"));
  EXPECT_FALSE(extended_key_prefix(kXpub1)->is_slip132);
}

TEST(ExtendedKey, Bip32Vectors) {
  SPV_VECTOR_FILE_OR_SKIP(path, "bip32/bip32.json");
  const auto file = test::read_json(path);
  for (const auto& vector : file.at("valid").as_array()) {
    const auto root = ExtendedPrivateKey::from_seed(test::hex(vector.at("seed"))).value();
    for (const auto& chain : vector.at("chains").as_array()) {
      const auto key = root.descend(path_of(std::string_view(chain.at("path").as_string())));
      ASSERT_TRUE(key);
      EXPECT_EQ(text_of(key->to_text(main_params())), std::string_view(chain.at("xprv").as_string()));
      EXPECT_EQ(key->to_public().to_string(main_params()), std::string_view(chain.at("xpub").as_string()));
    }
  }
}

TEST(ExtendedKey, W16_Bip32InvalidKeysAreRefused) {
  SPV_VECTOR_FILE_OR_SKIP(path, "bip32/bip32.json");
  const auto file = test::read_json(path);
  for (const auto& row : file.at("invalid").as_array()) {
    const std::string_view text = row.at("key").as_string();
    for (const auto network : {Network::Main, Network::Testnet3}) {
      EXPECT_FALSE(ExtendedPublicKey::parse(text, params(network))) << row;
      EXPECT_FALSE(ExtendedPrivateKey::parse(text, params(network))) << row;
    }
  }
}

TEST(ExtendedKey, BcoinVectors) {
  SPV_VECTOR_FILE_OR_SKIP(path, "bip44/hd_bcoin.json");
  const auto file = test::read_json(path);
  for (const char* name : {"vector1", "vector2"}) {
    const auto& vector = file.at(name).as_object();
    const auto root = ExtendedPrivateKey::from_seed(test::hex(vector.at("seed"))).value();
    for (const auto& [key_path, texts] : vector) {
      if (key_path == "seed") continue;
      const auto key = root.descend(path_of(std::string_view(key_path))).value();
      EXPECT_EQ(text_of(key.to_text(main_params())), std::string_view(texts.at("prv").as_string())) << key_path;
      EXPECT_EQ(key.to_public().to_string(main_params()), std::string_view(texts.at("pub").as_string())) << key_path;
    }
  }
  const auto root = ExtendedPrivateKey::from_seed(test::hex(file.at("seed"))).value();
  EXPECT_EQ(text_of(root.to_text(main_params())), std::string_view(file.at("master_priv").as_string()));
  EXPECT_EQ(root.to_public().to_string(main_params()), std::string_view(file.at("master_pub").as_string()));
  const auto child = root.child(0).value();
  EXPECT_EQ(text_of(child.to_text(main_params())), std::string_view(file.at("child1_priv").as_string()));
  EXPECT_EQ(child.to_public().to_string(main_params()), std::string_view(file.at("child1_pub").as_string()));
  EXPECT_EQ(root.to_public().child(1)->to_string(main_params()), std::string_view(file.at("child2_pub").as_string()));
}

}  // namespace
}  // namespace spv::wallet
