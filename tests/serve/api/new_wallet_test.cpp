#include "serve/api/new_wallet.h"

#include <gtest/gtest.h>

namespace spv::serve {
namespace {

constexpr const char* kXpub =
    "tpubDC8msFGeGuwnKG9Upg7DM2b4DaRqg3CUZa5g8v2SRQ6K4NSkxUgd7HsL2XVWbVm39yBA4LAxysQAm397zwQSQoQgewGiYZqrA9DsP4zbQ1M";

Result<client::NewWallet> make(std::size_t descriptors, std::uint32_t gap_limit) {
  NewWalletRequest request;
  request.name = "a";
  request.gap_limit = gap_limit;
  for (std::size_t i = 0; i < descriptors; ++i) {
    request.descriptors.push_back("wpkh(" + std::string(kXpub) + "/" + std::to_string(i) + "/*)");
  }
  return to_new_wallet(request, chain::params(chain::Network::Regtest), 0);
}

TEST(NewWalletTest, ARequestCannotAskForMoreThanAMomentsWork) {
  EXPECT_TRUE(make(10, 1'000));
  EXPECT_TRUE(make(500, 20));
  EXPECT_EQ(make(11, 1'000).error().code, ErrorCode::Refused);
  EXPECT_EQ(make(501, 20).error().code, ErrorCode::Refused);
}

}  // namespace
}  // namespace spv::serve
