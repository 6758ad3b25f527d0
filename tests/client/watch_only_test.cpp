// A library that cannot hold keys (SPV_WITH_SECRETS=OFF), by what a program links.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/process.h"
#include "tests/support/temp_dir.h"

namespace spv::test {
namespace {

TEST(WatchOnlyLibrary, K7_LinksNoCodeForMnemonicsSeedsPrivateKeysAndBoxes) {
  const auto symbols = run({"nm", "-C", SPV_WATCH_ONLY_LIBRARY_PROBE});
  ASSERT_EQ(symbols.exit_code, 0) << symbols.err;
  EXPECT_NE(symbols.out.find("spv::Client::watch_wallet"), std::string::npos) << "the search must find what is there";
  std::vector<std::string> secrets{"Mnemonic", "seal_secret", "open_secret", "EVP_PBE_scrypt", "PKCS5_PBKDF2_HMAC"};
#ifndef __SANITIZE_ADDRESS__  // whose own tables hold on to functions that nobody calls
  secrets.insert(secrets.end(),
                 {"ExtendedPrivateKey", "PublicKey::of", "wallet::tweak_add", "wif_key", "SeedKeys", "sign_draft",
                  "spend::sign_psbt", "spend::sign_input", "secp256k1_ecdsa_sign\n", "secp256k1_schnorrsig_sign"});
#endif
  for (const auto& secret : secrets) EXPECT_EQ(symbols.out.find(secret), std::string::npos) << secret;
}

TEST(WatchOnlyLibrary, K7_CreatesPsbtsAndBroadcasts) {
  const auto symbols = run({"nm", "-C", SPV_WATCH_ONLY_LIBRARY_PROBE});
  for (const char* part : {"spend::make_payment", "Spender::broadcast"}) {
    EXPECT_NE(symbols.out.find(part), std::string::npos) << part;
  }
}

TEST(WatchOnlyLibrary, K7_TakesNoPrivateKeyInADescriptor) {
  const TempDir folder;
  const auto told = run({SPV_WATCH_ONLY_LIBRARY_PROBE, folder.file("data"), "regtest", "127.0.0.1:1"},
                        {.input = "a wpkh(cMahea7zqjxrtgAbB7LSGbcQUr1uX1ojuat9jZodMN87JcbXMTcA)\nend\n"});
  EXPECT_NE(told.err.find("takes no private keys"), std::string::npos) << told.err;
}

}  // namespace
}  // namespace spv::test
