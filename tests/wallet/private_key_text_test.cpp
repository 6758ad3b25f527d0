#include "wallet/private_key_text.h"

#include <string>

#include <gtest/gtest.h>

namespace spv::wallet {
namespace {

// Of the test vectors of BIP32 and BIP380; worth nothing.
constexpr const char* kTextXprv =
    "xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi";
constexpr const char* kTextXpub =
    "xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8";
constexpr const char* kWif = "5KYZdUEo39z3FPrtuX2QbbwGnNP5zTd7yyr2SC1j299sBCnWjss";

TEST(PrivateKeyText, IsFoundInADescriptorHoweverItIsWritten) {
  for (const std::string& text :
       {std::string("wpkh(") + kTextXprv + "/0/*)", std::string("pkh(") + kWif + ")",
        std::string("wsh(multi(1,") + kTextXpub + "/0/*," + kTextXprv + "/1/*))",
        std::string("tr([deadbeef/86'/0'/0']") + kTextXprv + ")", std::string("  ") + kTextXprv,
        std::string("sh(wpkh(L4rK1yDtCWekvXuE6oXD9jCYfFNV2cWRpVuPLBcCU2z8TrisoyY1))#abcdefgh")}) {
    EXPECT_TRUE(has_private_key(text)) << text;
  }
}

TEST(PrivateKeyText, PublicKeysAddressesAndNonsenseAreNone) {
  std::string mistyped = kTextXprv;
  mistyped.back() = 'x';
  for (const std::string& text :
       {std::string("wpkh(") + kTextXpub + "/<0;1>/*)", std::string("addr(1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa)"),
        std::string("addr(bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4)"), std::string("raw(51)"), std::string(),
        mistyped, std::string("pk(0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798)")}) {
    EXPECT_FALSE(has_private_key(text)) << text;
  }
}

}  // namespace
}  // namespace spv::wallet
