#include "sync/relay/fetch_queue.h"

#include <gtest/gtest.h>

namespace spv::sync {
namespace {

using std::chrono::seconds;

chain::Txid txid_of(std::uint32_t number) {
  chain::Txid txid;
  for (std::size_t i = 0; i < 4; ++i) txid.bytes[i] = static_cast<std::uint8_t>(number >> (8 * i));
  return txid;
}

std::vector<p2p::InventoryItem> items(std::uint32_t first, std::uint32_t count) {
  std::vector<p2p::InventoryItem> all;
  for (auto i = first; i < first + count; ++i) {
    all.push_back({p2p::InventoryType::Tx, util::retag<util::Hash256>(txid_of(i))});
  }
  return all;
}

class FetchQueueTest : public testing::Test {
 protected:
  bool announce(PeerId peer, std::uint32_t first, std::uint32_t count = 1) {
    return queue_.on(peer, p2p::Inv{items(first, count)});
  }
  /// Requests what may be requested: how many transactions from each peer.
  std::map<PeerId, std::size_t> request() {
    queue_.request(now_, out_);
    std::map<PeerId, std::size_t> asked;
    for (const auto& action : out_.take()) {
      const auto& send = std::get<Send>(action);
      asked[send.peer] += std::get<p2p::GetData>(send.message).items.size();
    }
    return asked;
  }
  using Asked = std::map<PeerId, std::size_t>;

  FetchQueue queue_{{.queued = 150, .remembered = 1'000}};
  Outbox out_;
  util::Now now_{.monotonic = util::TimePoint{} + seconds(100), .wall = 0};
};

TEST_F(FetchQueueTest, OnlyTransactionsAreQueued) {
  EXPECT_FALSE(queue_.on(1, p2p::Inv{{{p2p::InventoryType::Block, {}}}}));
  EXPECT_TRUE(queue_.empty());
  EXPECT_TRUE(announce(1, 0));
  EXPECT_FALSE(queue_.empty());
}

TEST_F(FetchQueueTest, WhatIsDeliveredIsDone) {
  announce(1, 0);
  EXPECT_EQ(request(), (Asked{{1, 1}}));
  EXPECT_TRUE(queue_.has_asked(1, txid_of(0)));
  EXPECT_FALSE(queue_.has_asked(2, txid_of(0)));
  queue_.on_delivered(1, txid_of(0));
  EXPECT_FALSE(queue_.has_asked(1, txid_of(0)));
  EXPECT_TRUE(queue_.empty());
  EXPECT_EQ(queue_.deadline(), std::nullopt);
}

TEST_F(FetchQueueTest, R6_BothTheQueueAndWhatIsUnderWayAreBoundedForEachPeer) {
  announce(1, 0, 1'000);
  announce(2, 5'000, 1);
  EXPECT_EQ(request(), (Asked{{1, FetchQueue::kMaxRequested}, {2, 1}}));
  for (std::uint32_t i = 0; i < FetchQueue::kMaxRequested; ++i) queue_.on_delivered(1, txid_of(i));
  EXPECT_EQ(request(), (Asked{{1, 50}})) << "the rest of the 150 that were queued";
}

TEST_F(FetchQueueTest, E7_WhatIsNotFoundIsAskedFromTheNextPeer) {
  announce(1, 0);
  announce(2, 0);
  EXPECT_EQ(request(), (Asked{{1, 1}}));
  queue_.on(2, p2p::NotFound{items(0, 1)});
  EXPECT_EQ(request(), Asked{}) << "the other one was not asked";
  queue_.on(1, p2p::NotFound{items(0, 1)});
  EXPECT_EQ(request(), (Asked{{2, 1}}));
  queue_.on(2, p2p::NotFound{items(0, 1)});
  EXPECT_TRUE(queue_.empty());
}

TEST_F(FetchQueueTest, E7_WhatIsOverdueIsAskedFromTheNextPeerAndStillBelieved) {
  announce(1, 0);
  announce(2, 0);
  request();
  ASSERT_EQ(queue_.deadline(), now_.monotonic + FetchQueue::kFetchTimeout);
  now_.monotonic = *queue_.deadline();
  queue_.give_up_overdue(now_);
  EXPECT_EQ(request(), (Asked{{2, 1}}));
  EXPECT_TRUE(queue_.has_asked(1, txid_of(0)));
  EXPECT_TRUE(queue_.has_asked(2, txid_of(0)));
  queue_.on_delivered(1, txid_of(0));
  EXPECT_TRUE(queue_.empty()) << "the second need not be waited for";
}

TEST_F(FetchQueueTest, E7_ALostPeersShareGoesToTheOthers) {
  announce(1, 0, 120);  // 100 under way, 20 queued
  announce(2, 0, 120);
  request();
  queue_.on_peer_lost(1);
  EXPECT_FALSE(queue_.has_asked(1, txid_of(0)));
  EXPECT_EQ(request(), (Asked{{2, FetchQueue::kMaxRequested}}));
  queue_.on_peer_lost(2);
  EXPECT_TRUE(queue_.empty());
}

TEST_F(FetchQueueTest, WhatWasDeliveredIsFetchedAgainOnceForgotten) {
  announce(1, 0, 2);
  request();
  queue_.on_delivered(1, txid_of(0));
  announce(1, 0, 2);
  EXPECT_EQ(request(), Asked{});
  queue_.forget_delivered();
  announce(1, 0, 2);
  EXPECT_EQ(request(), (Asked{{1, 1}})) << "the other is still under way";
}

}  // namespace
}  // namespace spv::sync
