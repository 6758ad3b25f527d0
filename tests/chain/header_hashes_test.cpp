#include "chain/header_hashes.h"

#include <gtest/gtest.h>

#include "tests/chain/header_builder.h"

namespace spv::chain {
namespace {

TEST(HeaderHashes, AreTheHashesOfEach) {
  const auto headers = test::mine_on(params(Network::Regtest).genesis, 100, 1);
  const auto hashes = hashes_of(headers);
  ASSERT_EQ(hashes.size(), headers.size());
  for (std::size_t i = 0; i < headers.size(); ++i) EXPECT_EQ(hashes[i], headers[i].hash());
  EXPECT_TRUE(hashes_of({}).empty());
}

}  // namespace
}  // namespace spv::chain
