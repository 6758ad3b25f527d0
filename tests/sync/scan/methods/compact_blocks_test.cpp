// Scanning by compact filters as one method among others: what it takes, what it leaves, and what it makes of a filter.
#include "sync/scan/methods/compact_blocks.h"

#include <array>

#include <gtest/gtest.h>

#include "tests/support/chain_builder.h"
#include "tests/support/recording_watcher.h"
#include "tests/support/scripts.h"

namespace spv::sync {
namespace {

class Watching final : public test::RecordingWatcher {
 public:
  util::Bytes script = test::p2wpkh(util::Bytes(20, 0x11));
  void each_script(const VisitScript& visit) const override { visit(script); }
};

class CompactBlocksTest : public testing::Test {
 protected:
  CompactBlocksTest() {
    mined_.blocks(5);
    EXPECT_FALSE(chain_.accept(mined_.headers(), 4'000'000'000).error);
    std::vector<bip158::FilterHeader> headers{bip158::FilterHeader{}};
    for (chain::Height at = 1; at <= 5; ++at) {
      headers.push_back(bip158::filter_header(bip158::filter_hash(filter(at)), headers.back()));
    }
    kept_.replace_above(-1, headers);
  }

  void ask(chain::Height first, chain::Height last) {
    queue_.add(blocks(first, last), BlockKind::Compact, 0, 77, now_);
  }
  [[nodiscard]] std::vector<chain::BlockRef> blocks(chain::Height first, chain::Height last) const {
    std::vector<chain::BlockRef> out;
    for (auto at = first; at <= last; ++at) out.push_back({at, mined_.block(at).hash});
    return out;
  }
  /// Block 3 pays us.
  [[nodiscard]] util::Bytes filter(chain::Height height) const {
    bip158::BasicFilterBuilder builder;
    builder.add_output(height == 3 ? watcher_.script : other_);
    return builder.build(mined_.block(height).hash);
  }
  LaneStep offer(chain::Height height, const util::Bytes& filter, std::uint8_t type = bip158::kBasicType) {
    return method_.on(p2p::CFilter{type, mined_.block(height).hash, filter}, queue_, now_);
  }

  util::Bytes other_ = test::p2wpkh(util::Bytes(20, 0x22));
  test::ChainBuilder mined_;
  chain::NetworkParams params_ = chain::params(chain::Network::Regtest);
  chain::MemoryHeaderStore store_{0, params_.genesis, 2};
  chain::HeaderChain chain_{params_, store_};
  Watching watcher_;
  bip158::MemoryFilterHeaders kept_{0};
  CompactScan scan_{chain_, watcher_, &kept_};
  RequestQueue queue_{1};
  CompactBlocks compact_{&scan_};
  ScanMethod& method_ = compact_;
  util::Now now_{.monotonic = util::TimePoint{} + std::chrono::seconds(100), .wall = 1'700'000'000};
};

TEST_F(CompactBlocksTest, AsksForARangeByItsFirstHeightAndItsLastBlock) {
  EXPECT_EQ(method_.epoch(), 0U);
  const auto message = std::get<p2p::GetCFilters>(method_.ask(blocks(2, 4)));
  EXPECT_EQ(message.range.filter_type, bip158::kBasicType);
  EXPECT_EQ(message.range.start_height, 2U);
  EXPECT_EQ(message.range.stop, mined_.block(4).hash);
}

TEST_F(CompactBlocksTest, ABlockIsNeededWholeIfItsFilterMatches) {
  ask(2, 3);
  EXPECT_TRUE(offer(2, filter(2)).taken);
  EXPECT_TRUE(offer(3, filter(3)).taken);
  EXPECT_FALSE(queue_.take().result.needs_whole);
  EXPECT_TRUE(queue_.take().result.needs_whole);
}

TEST_F(CompactBlocksTest, AFilterThatWasNotAskedForIsLeft) {
  ask(2, 3);
  EXPECT_FALSE(offer(4, filter(4)).taken);
}

TEST_F(CompactBlocksTest, AFilterOfAnotherTypeOrHashEndsTheConnection) {
  ask(2, 3);
  EXPECT_EQ(offer(2, filter(2), 1).fault, DisconnectReason::BadFilter);
  EXPECT_EQ(offer(2, filter(3)).fault, DisconnectReason::BadFilter);
}

TEST_F(CompactBlocksTest, FiltersComeInTheOrderOfTheirBlocks) {
  ask(2, 3);
  EXPECT_EQ(offer(3, filter(3)).fault, DisconnectReason::BlocksNotServed);
}

TEST_F(CompactBlocksTest, WhatNoLongerCountsIsNotLookedAt) {
  ask(2, 3);
  queue_.forget();
  const auto step = offer(2, util::Bytes{1, 2, 3});
  EXPECT_TRUE(step.taken);
  EXPECT_FALSE(step.fault.has_value());
}

}  // namespace
}  // namespace spv::sync
