#include "sync/engine/unsolicited.h"

#include <gtest/gtest.h>

namespace spv::sync {
namespace {

TEST(Unsolicited, EachPeerHasItsOwnCount) {
  Unsolicited unsolicited;
  for (std::size_t i = 1; i < Unsolicited::kMax; ++i) EXPECT_FALSE(unsolicited.add(1));
  EXPECT_FALSE(unsolicited.add(2));
  EXPECT_TRUE(unsolicited.add(1));
}

TEST(Unsolicited, LargeMessagesCountMore) {
  Unsolicited unsolicited;
  for (std::size_t i = 1; i < Unsolicited::kMax / Unsolicited::kLarge; ++i) {
    EXPECT_FALSE(unsolicited.add(1, Unsolicited::kLarge));
  }
  EXPECT_TRUE(unsolicited.add(1, Unsolicited::kLarge));
}

TEST(Unsolicited, AConnectionThatIsGoneIsForgotten) {
  Unsolicited unsolicited;
  for (std::size_t i = 1; i < Unsolicited::kMax; ++i) unsolicited.add(1);
  unsolicited.on_peer_lost(1);
  EXPECT_FALSE(unsolicited.add(1));
}

}  // namespace
}  // namespace spv::sync
