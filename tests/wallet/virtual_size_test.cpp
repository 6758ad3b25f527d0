#include "wallet/virtual_size.h"

#include <gtest/gtest.h>

#include "tests/wallet/wallet_samples.h"
#include "util/hex.h"

namespace spv::wallet {
namespace {

using test::TxBuilder;

util::Bytes pushed_program(std::size_t hash) {
  util::Bytes script(hash + 3, 0xAA);
  script[0] = static_cast<std::uint8_t>(hash + 2);
  script[1] = 0;
  script[2] = static_cast<std::uint8_t>(hash);
  return script;
}

TEST(VirtualSize, AWitnessCountsAQuarter) {
  const util::Bytes signature(71, 1);
  const util::Bytes key(33, 2);
  const auto tx =
      TxBuilder().spends(TxBuilder().build()).witness(signature).witness(key).pays(test::foreign_script(), 1).build();
  const auto base = tx.serialized_size(chain::Witness::Strip);
  EXPECT_EQ(base, 82U);
  // Marker, flag, the number of items, and two with their lengths: 109 weight units.
  EXPECT_EQ(virtual_size(tx), (4 * 82U + 2 + 1 + 72 + 34 + 3) / 4);
}

TEST(VirtualSize, WithoutAWitnessItIsTheSize) {
  const auto tx =
      TxBuilder().spends(TxBuilder().build(), 0, util::Bytes(107, 1)).pays(test::foreign_script(), 1).build();
  EXPECT_EQ(virtual_size(tx), tx.serialized_size());
}

TEST(VirtualSize, IsUnknownWhereTheWitnessWasLeftOut) {
  const auto spending = [](util::ByteView script) {
    return TxBuilder().spends(TxBuilder().build(), 0, script).pays(test::foreign_script(), 1).build();
  };
  EXPECT_FALSE(virtual_size(spending({})));
  EXPECT_FALSE(virtual_size(spending(pushed_program(20))));
  EXPECT_FALSE(virtual_size(spending(pushed_program(32))));
  EXPECT_TRUE(virtual_size(spending(pushed_program(21)))) << "no program";
  EXPECT_FALSE(virtual_size(TxBuilder::coinbase(10, test::foreign_script(), 1)));
  auto nested = spending(pushed_program(20));
  nested.inputs[0].witness = {util::Bytes(71, 1)};
  EXPECT_TRUE(virtual_size(nested));
  EXPECT_FALSE(lacks_witness(nested.inputs[0]));
}

}  // namespace
}  // namespace spv::wallet
