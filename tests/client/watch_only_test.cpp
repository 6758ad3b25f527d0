// A library that cannot hold keys (SPV_WITH_SECRETS=OFF), by what a program links.
#include <gtest/gtest.h>

#include "tests/support/process.h"
#include "tests/support/temp_dir.h"

namespace spv::test {
namespace {

TEST(WatchOnlyLibrary, K7_LinksNoCodeForMnemonicsSeedsAndBoxes) {
  const auto symbols = run({"nm", "-C", SPV_WATCH_ONLY_LIBRARY_PROBE});
  ASSERT_EQ(symbols.exit_code, 0) << symbols.err;
  EXPECT_NE(symbols.out.find("spv::Client::watch_wallet"), std::string::npos) << "the search must find what is there";
  for (const char* secret : {"Mnemonic", "seal_secret", "open_secret", "EVP_PBE_scrypt", "PKCS5_PBKDF2_HMAC"}) {
    EXPECT_EQ(symbols.out.find(secret), std::string::npos) << secret;
  }
}

}  // namespace
}  // namespace spv::test
