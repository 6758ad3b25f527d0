#include "bip158/gcs.h"

#include <gtest/gtest.h>

namespace spv::bip158 {
namespace {

TEST(Gcs, AnEmptyFilterMatchesNothing) {
  ScriptSet scripts;
  scripts.add(util::Bytes(22, 1));
  Scratch scratch;
  const auto matched = match_any(util::Bytes{0}, {}, scripts, scratch);
  ASSERT_TRUE(matched);
  EXPECT_FALSE(*matched);
}

}  // namespace
}  // namespace spv::bip158
