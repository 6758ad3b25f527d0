#include "sync/engine/courier.h"

#include <gtest/gtest.h>

#include "tests/support/tx_builder.h"

namespace spv::sync {
namespace {

using std::chrono::seconds;
using test::TxBuilder;

/// One transaction of ours waits for a block.
class CourierTest : public testing::Test {
 protected:
  CourierTest() {
    auto tx = TxBuilder(1).build();
    const auto txid = tx.txid();
    pending_.push_back({txid, std::move(tx), 100});
  }
  void start(std::vector<PeerAddress> peers, bool unfiltered = false) {
    pool_.emplace(std::move(peers), true);
    courier_.emplace(*pool_, announcers_, own(), unfiltered);
    pool_->connect_due(now_, rng_, out_);
    (void)out_.take();
  }
  Courier::Pending own() {
    return [this] { return pending_; };
  }
  void make_ready(PeerId peer) {
    pool_->on_connected(peer, 1, now_, out_);
    p2p::Version version;
    version.nonce = 99;
    version.services = p2p::services::kNetwork | p2p::services::kBloom;
    auto& session = *pool_->find(peer)->session;
    (void)session.handle(version, now_);
    (void)session.handle(p2p::Verack{}, now_);
    (void)out_.take();
  }
  /// Goes on at the tip until something is ordered.
  std::vector<Action> until_ordered() {
    for (int i = 0; i < 1'000; ++i) {
      courier_->at_rest(kTip, 1, now_, rng_, out_);
      if (auto actions = out_.take(); !actions.empty()) return actions;
      now_.monotonic += seconds(1);
    }
    return {};
  }
  static constexpr chain::BlockRef kTip{.height = 101, .hash = {}};

  std::vector<OwnTransaction> pending_;
  Announcers announcers_{100};
  std::optional<PeerPool> pool_;
  std::optional<Courier> courier_;
  util::Rng rng_{5};
  Outbox out_;
  util::Now now_{.monotonic = util::TimePoint{} + seconds(1'000), .wall = 1'700'000'000};
};

TEST_F(CourierTest, P6_ANodeThatNeverGotOurFilterIsDialledAndToldAlone) {
  start({{"serves", 1}, {"unfit", 2}});
  make_ready(1);
  pool_->on_lost(2, "no filters", DisconnectReason::NoBloomFilters, now_, rng_);
  const auto actions = until_ordered();
  ASSERT_EQ(actions.size(), 1U);
  const auto& dialled = std::get<Connect>(actions[0]);
  EXPECT_EQ(dialled.address.host, "unfit");
  EXPECT_TRUE(courier_->is_courier(dialled.peer));
  EXPECT_FALSE(courier_->is_courier(1));
  make_ready(dialled.peer);
  EXPECT_TRUE(courier_->on_courier_ready(dialled.peer, now_, rng_, out_));
  ASSERT_TRUE(std::holds_alternative<p2p::Inv>(std::get<Send>(out_.take().at(0)).message));
  EXPECT_EQ(courier_->end_fetches(now_, rng_), std::nullopt);
  now_.monotonic += Rebroadcast::kFetchTime;
  EXPECT_EQ(courier_->end_fetches(now_, rng_), dialled.peer);
  courier_->on_peer_lost(dialled.peer, now_, rng_);
  EXPECT_FALSE(courier_->is_courier(dialled.peer));
}

TEST_F(CourierTest, WhereAllPeersAreNamedOneThatDidNotAnnounceItIsTold) {
  start({{"knows", 1}, {"does not", 2}});
  make_ready(1);
  make_ready(2);
  announcers_.add_first(pending_[0].txid, 1);
  const auto actions = until_ordered();
  ASSERT_EQ(actions.size(), 1U);
  EXPECT_EQ(std::get<Send>(actions[0]).peer, 2U);
  courier_->on(2, p2p::GetData{{{p2p::InventoryType::Tx, util::retag<util::Hash256>(pending_[0].txid)}}}, out_);
  EXPECT_TRUE(std::holds_alternative<p2p::Tx>(std::get<Send>(out_.take().at(0)).message));
  now_.monotonic += Rebroadcast::kFetchTime;
  EXPECT_EQ(courier_->end_fetches(now_, rng_), std::nullopt) << "it serves us, and stays";
}

TEST_F(CourierTest, P6_PeersOfTheBookThatHaveOurFilterAreNotTold) {
  p2p::AddressBook book;
  pool_.emplace(std::vector<PeerAddress>{{"serves", 1}}, true, BookUse{&book, 1, {}, {}});
  courier_.emplace(*pool_, announcers_, own(), false);
  pool_->connect_due(now_, rng_, out_);
  make_ready(1);
  EXPECT_TRUE(until_ordered().empty());
  courier_.emplace(*pool_, announcers_, own(), true);
  EXPECT_EQ(until_ordered().size(), 1U) << "where nobody gets a filter, everybody may be told";
}

TEST_F(CourierTest, TheWalletIsLookedThroughOncePerTipAndVersion) {
  start({{"serves", 1}});
  courier_->at_rest(kTip, 1, now_, rng_, out_);
  ASSERT_TRUE(courier_->deadline());
  pending_.clear();
  courier_->at_rest(kTip, 1, now_, rng_, out_);
  EXPECT_TRUE(courier_->deadline());
  courier_->look_again();
  courier_->at_rest(kTip, 1, now_, rng_, out_);
  EXPECT_FALSE(courier_->deadline());
}

TEST_F(CourierTest, BeforeTheTipIsScannedWhatIsDueIsPutOff) {
  start({{"serves", 1}});
  make_ready(1);
  courier_->at_rest(kTip, 1, now_, rng_, out_);
  now_.monotonic = *courier_->deadline();
  courier_->not_at_rest(now_, rng_);
  EXPECT_GT(*courier_->deadline(), now_.monotonic);
  EXPECT_TRUE(out_.take().empty());
}

}  // namespace
}  // namespace spv::sync
