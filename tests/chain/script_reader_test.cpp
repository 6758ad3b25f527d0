#include "chain/script_reader.h"

#include <gtest/gtest.h>

#include "tests/support/scripts.h"
#include "util/hex.h"

namespace spv::chain {
namespace {

/// Each operation as its code and what it pushes, in hex.
std::vector<std::string> ops(const util::Bytes& script) {
  std::vector<std::string> out;
  ScriptReader reader(script);
  while (const auto op = reader.next()) {
    out.push_back(util::to_hex(util::Bytes{op->code}) + ":" + util::to_hex(op->data));
  }
  return out;
}

using Ops = std::vector<std::string>;

TEST(ScriptReader, CutsAScriptIntoItsOperations) {
  EXPECT_EQ(ops({}), Ops{});
  EXPECT_EQ(ops({0x76, 0xA9, 0x02, 0xAB, 0xCD, 0x88, 0xAC}), (Ops{"76:", "a9:", "02:abcd", "88:", "ac:"}));
  EXPECT_EQ(ops({0x00, 0x51, 0x60, 0x4F}), (Ops{"00:", "51:", "60:", "4f:"}));
}

TEST(ScriptReader, ReadsThePushesWithALengthOfTheirOwn) {
  EXPECT_EQ(ops({0x4C, 1, 0xAA, 0x4D, 2, 0, 0xBB, 0xCC, 0x4E, 1, 0, 0, 0, 0xDD}), (Ops{"4c:aa", "4d:bbcc", "4e:dd"}));
}

TEST(ScriptReader, EndsAtAPushThatRunsOverTheEnd) {
  EXPECT_EQ(ops({0x51, 0x03, 0xAA, 0xBB}), Ops{"51:"});
  EXPECT_EQ(ops({0x51, 0x4D, 0x01}), Ops{"51:"});
  EXPECT_EQ(ops({0x51, 0x4E, 0xFF, 0xFF, 0xFF, 0xFF, 0xAA}), Ops{"51:"});
}

TEST(ScriptReader, KnowsTheSmallNumbers) {
  EXPECT_EQ(op::small_number(0x00), 0);
  EXPECT_EQ(op::small_number(0x51), 1);
  EXPECT_EQ(op::small_number(0x60), 16);
  for (const int code : {0x01, 0x4F, 0x50, 0x61, 0xFF}) {
    EXPECT_FALSE(op::small_number(static_cast<std::uint8_t>(code))) << code;
  }
}

}  // namespace
}  // namespace spv::chain
