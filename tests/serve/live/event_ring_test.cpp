#include "serve/live/event_ring.h"

#include <gtest/gtest.h>

#include "tests/serve/live/feed_fixture.h"

namespace spv::serve {
namespace {

RenderedEvent event(store::Seq seq) {
  return render_event({.seq = seq, .wallet = "mine", .time = 0, .data = wallet::TxEvent{}}, test::seq_json);
}

TEST(RenderedEventTest, IsAFrameOfServerSentEvents) {
  const auto tx = event(17);
  EXPECT_EQ(*tx.frame, "id: 17\nevent: tx\ndata: {\"seq\":17,\"wallet\":\"mine\"}\n\n");
  EXPECT_EQ(tx.json(), R"({"seq":17,"wallet":"mine"})");
}

TEST(RenderedEventTest, NamesItsKind) {
  EXPECT_EQ(type_of(wallet::TxEvent{}), "tx");
  EXPECT_EQ(type_of(store::TipEvent{}), "tip");
  EXPECT_EQ(type_of(store::ReorgEvent{}), "reorg");
  EXPECT_EQ(type_of(store::WalletEvent{}), "wallet");
}

TEST(RenderedEventTest, AWalletFilterLeavesTipsAndOtherWalletsOut) {
  const auto tip = render_event({.seq = 1, .wallet = "", .time = 0, .data = store::TipEvent{}}, test::seq_json);
  EXPECT_TRUE(matches(tip, std::nullopt));
  EXPECT_FALSE(matches(tip, "mine"));
  EXPECT_TRUE(matches(event(2), "mine"));
  EXPECT_FALSE(matches(event(2), "other"));
}

TEST(EventRingTest, CoversNothingBeforeItStarts) {
  const EventRing ring(10, 1'000'000);
  EXPECT_FALSE(ring.covers(0));
  EXPECT_FALSE(ring.covers(1'000'000'000'000));
}

TEST(EventRingTest, KnowsFromWhereItIsComplete) {
  EventRing ring(3, 1'000'000);
  ring.restart(5);
  EXPECT_TRUE(ring.covers(5));
  EXPECT_FALSE(ring.covers(4));
  for (store::Seq seq = 6; seq <= 8; ++seq) ring.append(event(seq));
  EXPECT_TRUE(ring.covers(5)) << "three fit";
  ring.append(event(9));
  EXPECT_FALSE(ring.covers(5)) << "6 is gone";
  EXPECT_TRUE(ring.covers(6));
  EXPECT_EQ(ring.newest(), 9);
  EXPECT_EQ(ring.above(6)->seq, 7);
  EXPECT_EQ(ring.above(8)->seq, 9);
  EXPECT_EQ(ring.above(9), ring.end());
}

TEST(EventRingTest, IsBoundedInBytesToo) {
  EventRing ring(1'000, 3 * event(1).frame->size());
  ring.restart(0);
  for (store::Seq seq = 1; seq <= 9; ++seq) ring.append(event(seq));
  EXPECT_FALSE(ring.covers(5));
  EXPECT_TRUE(ring.covers(6));
}

}  // namespace
}  // namespace spv::serve
