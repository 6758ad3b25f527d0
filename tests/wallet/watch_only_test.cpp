#include <gtest/gtest.h>

#include "tests/support/process.h"
#include "tests/wallet/wallet_samples.h"

namespace spv::wallet {
namespace {

TEST(WatchOnly, K7_WatchesAnXpubWithoutCodeForSecrets) {
  const auto watched = test::run({SPV_WATCH_ONLY_PROBE, "wpkh(" + std::string(test::kXpub) + "/<0;1>/*)"});
  EXPECT_EQ(watched.out, "400\n") << watched.err;
}

TEST(WatchOnly, K7_LinksNoCodeForMnemonicsSeedsAndBoxes) {
  const auto symbols = test::run({"nm", "-C", SPV_WATCH_ONLY_PROBE});
  ASSERT_EQ(symbols.exit_code, 0) << symbols.err;
  EXPECT_NE(symbols.out.find("spv::wallet::Wallet::balance"), std::string::npos)
      << "the search must find what is there";
  for (const char* secret : {"Mnemonic", "seal_secret", "open_secret", "EVP_PBE_scrypt", "PKCS5_PBKDF2_HMAC",
                             "SeedKeys", "sign_ecdsa", "secp256k1_ecdsa_sign\n", "secp256k1_schnorrsig_sign32"}) {
    EXPECT_EQ(symbols.out.find(secret), std::string::npos) << secret;
  }
}

}  // namespace
}  // namespace spv::wallet
