#include "sync/relay/announcers.h"

#include <gtest/gtest.h>

namespace spv::sync {
namespace {

chain::Txid numbered(std::uint8_t number) {
  chain::Txid txid;
  txid.bytes[0] = number;
  return txid;
}

class AnnouncersTest : public testing::Test {
 protected:
  const chain::Txid a_ = numbered(1);
  const chain::Txid b_ = numbered(2);
  const chain::Txid c_ = numbered(3);
  Announcers announcers_{2};
};

TEST_F(AnnouncersTest, EachPeerCountsOnce) {
  EXPECT_FALSE(announcers_.add_to_known(a_, 1));
  EXPECT_EQ(announcers_.count(a_), 0U);
  announcers_.add_first(a_, 1);
  for (const PeerId peer : {1U, 2U, 2U, 3U}) EXPECT_TRUE(announcers_.add_to_known(a_, peer));
  EXPECT_EQ(announcers_.count(a_), 3U);
  EXPECT_TRUE(announcers_.contains(a_, 3));
  EXPECT_FALSE(announcers_.contains(a_, 4));
  EXPECT_FALSE(announcers_.contains(b_, 1));
}

TEST_F(AnnouncersTest, NoMoreThanEightAreRememberedForOne) {
  announcers_.add_first(a_, 1);
  for (PeerId peer = 2; peer < 50; ++peer) announcers_.add_to_known(a_, peer);
  EXPECT_EQ(announcers_.count(a_), Announcers::kMaxPeers);
  EXPECT_FALSE(announcers_.contains(a_, 49));
}

TEST_F(AnnouncersTest, E7_TheNextIsAskedUntilNobodyIsLeft) {
  announcers_.add_first(a_, 1);
  announcers_.add_to_known(a_, 2);
  EXPECT_EQ(announcers_.next_after(a_, 1), 2U);
  EXPECT_FALSE(announcers_.contains(a_, 1));
  EXPECT_EQ(announcers_.next_after(a_, 2), std::nullopt);
  EXPECT_FALSE(announcers_.add_to_known(a_, 1)) << "forgotten, so that it can be announced anew";
  EXPECT_EQ(announcers_.next_after(b_, 1), std::nullopt) << "never announced";
}

TEST_F(AnnouncersTest, E7_ALostPeerStillCountsButIsNotAsked) {
  announcers_.add_first(a_, 1);
  announcers_.add_to_known(a_, 2);
  announcers_.add_to_known(a_, 3);
  announcers_.on_peer_lost(2);
  EXPECT_EQ(announcers_.count(a_), 3U);
  EXPECT_FALSE(announcers_.contains(a_, 2));
  EXPECT_EQ(announcers_.next_after(a_, 1), 3U);
}

TEST_F(AnnouncersTest, R6_AllAreForgottenWhenThereAreTooMany) {
  announcers_.add_first(a_, 1);
  announcers_.add_first(b_, 1);
  announcers_.add_first(c_, 1);
  EXPECT_EQ(announcers_.count(a_), 0U);
  EXPECT_EQ(announcers_.count(b_), 0U);
  EXPECT_EQ(announcers_.count(c_), 1U);
}

TEST_F(AnnouncersTest, OnlyWhatIsNamedIsKept) {
  announcers_.add_first(a_, 1);
  announcers_.add_first(b_, 1);
  announcers_.keep_only({b_, c_});
  EXPECT_EQ(announcers_.count(a_), 0U);
  EXPECT_EQ(announcers_.count(b_), 1U);
  EXPECT_EQ(announcers_.count(c_), 0U);
}

}  // namespace
}  // namespace spv::sync
