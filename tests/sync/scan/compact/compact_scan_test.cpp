// What is looked for in compact filters, and what it costs to keep that up to date.
#include "sync/scan/compact/compact_scan.h"

#include <array>
#include <map>

#include <gtest/gtest.h>

#include "tests/support/chain_builder.h"
#include "tests/support/recording_watcher.h"
#include "tests/support/scripts.h"
#include "tests/support/tx_builder.h"

namespace spv::sync {
namespace {

using test::ChainBuilder;
using test::TxBuilder;

util::Bytes numbered_script(std::uint32_t number) {
  util::Bytes hash(20);
  for (int i = 0; i < 4; ++i) hash[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(number >> (8 * i));
  return test::p2wpkh(hash);
}

/// Watches scripts and coins, and counts how much of it is shown.
class CountingWatcher final : public test::RecordingWatcher {
 public:
  std::vector<util::Bytes> scripts;
  std::vector<chain::OutPoint> outpoints;
  std::map<chain::Txid, chain::Transaction> known;
  mutable std::size_t shown = 0;

  void add(const chain::Transaction& tx) { known.emplace(tx.txid(), tx); }
  void each_script(const VisitScript& visit) const override {
    for (const auto& each : scripts) visit(each);
    shown += scripts.size();
  }
  [[nodiscard]] std::size_t script_count() const override { return scripts.size(); }
  [[nodiscard]] std::vector<chain::OutPoint> watched_outpoints() const override {
    shown += outpoints.size();
    return outpoints;
  }
  [[nodiscard]] const chain::Transaction* find(const chain::Txid& txid) const override {
    ++shown;
    const auto found = known.find(txid);
    return found == known.end() ? nullptr : &found->second;
  }
};

class CompactScanTest : public testing::Test {
 protected:
  CompactScanTest() {
    watcher_.scripts = {numbered_script(1), numbered_script(2), numbered_script(3)};
    mined_.blocks(40);
    EXPECT_FALSE(chain_.accept(mined_.headers(), 4'000'000'000).error);
    filter_headers_.replace_above(-1, std::array{bip158::FilterHeader{}});
    scan_.begin_at(1);
  }
  /// The peer's filter of the next block, with these scripts; true if the block is to be looked through.
  bool looks_through(const std::vector<util::Bytes>& held) {
    const chain::BlockRef block{++height_, mined_.block(height_).hash};
    bip158::BasicFilterBuilder builder;
    for (const auto& each : held) builder.add_output(each);
    const auto filter = builder.build(block.hash);
    take_header(bip158::filter_hash(filter));
    const auto found = scan_.look_at(block, filter);
    EXPECT_TRUE(found.has_value());
    return found && *found;
  }
  void take_header(const bip158::FilterHash& hash) {
    hashes_.push_back(hash);
    const chain::Height tip = filter_headers_.tip_height();
    filter_headers_.replace_above(tip, std::array{bip158::filter_header(hash, filter_headers_.at(tip))});
  }
  /// A peer sends the header of the block that comes next for it, and it is ours.
  void send_header(PeerId peer, chain::Height height) {
    Outbox out;
    const util::Now now{.monotonic = util::TimePoint{} + std::chrono::seconds(100), .wall = 4'000'000'000};
    scan_.headers().ask(peer, height, 1, now, out);
    const p2p::CFHeaders answer{bip158::kBasicType,
                                mined_.block(height).hash,
                                filter_headers_.at(height - 1),
                                {hashes_.at(static_cast<std::size_t>(height) - 1)}};
    const auto step = scan_.headers().on(peer, answer);
    EXPECT_TRUE(step.taken && !step.fault && !step.difference);
  }
  void note(const chain::Transaction& tx) {
    watcher_.add(tx);
    scan_.watch_inputs(tx, tx.txid());
  }

  ChainBuilder mined_;
  chain::NetworkParams params_ = chain::params(chain::Network::Regtest);
  chain::MemoryHeaderStore store_{0, params_.genesis, 2};
  chain::HeaderChain chain_{params_, store_};
  CountingWatcher watcher_;
  bip158::MemoryFilterHeaders filter_headers_{0};
  CompactScan scan_{chain_, watcher_, &filter_headers_};
  chain::Height height_ = 0;
  std::vector<bip158::FilterHash> hashes_;  // of the filters from block 1 on
};

TEST_F(CompactScanTest, ABlockIsLookedThroughIfItsFilterHoldsAScriptOfOurs) {
  EXPECT_FALSE(looks_through({numbered_script(9)}));
  EXPECT_TRUE(looks_through({numbered_script(9), numbered_script(2)}));
}

TEST_F(CompactScanTest, ScriptsThatComeLaterAreLookedForOnceToldSo) {
  EXPECT_FALSE(looks_through({numbered_script(4)}));
  watcher_.scripts.push_back(numbered_script(4));
  scan_.renew();
  EXPECT_TRUE(looks_through({numbered_script(4)}));
}

TEST_F(CompactScanTest, CoinsOfOthersInTransactionsOfOursAreLookedForByTheirScript) {
  const auto ours = TxBuilder(1).pays(numbered_script(1), 500).pays(numbered_script(70), 600).build();
  watcher_.add(ours);
  watcher_.outpoints = {{ours.txid(), 1}};
  EXPECT_TRUE(looks_through({numbered_script(70)}));
  EXPECT_FALSE(looks_through({numbered_script(71)}));
}

TEST_F(CompactScanTest, WhatAPaymentSpendsIsLookedForFromThenOn) {
  const auto ours = TxBuilder(1).pays(numbered_script(1), 500).pays(numbered_script(70), 600).build();
  watcher_.add(ours);
  EXPECT_FALSE(looks_through({numbered_script(70)}));
  note(TxBuilder(2).spends({ours.txid(), 1}).pays(numbered_script(2), 300).build());
  EXPECT_TRUE(looks_through({numbered_script(70)}));
}

TEST_F(CompactScanTest, TheNewestBlocksAreLookedThroughAsLongAsAPaymentOfOthersWaits) {
  while (height_ < 36) EXPECT_FALSE(looks_through({numbered_script(9)}));
  const auto payment = TxBuilder(2).pays(numbered_script(2), 300).build();
  note(payment);
  EXPECT_TRUE(looks_through({numbered_script(9)}));
  scan_.on_confirmed(payment, payment.txid());
  EXPECT_FALSE(looks_through({numbered_script(9)}));
}

TEST_F(CompactScanTest, APaymentThatLosesAgainstARivalWaitsNoLonger) {
  while (height_ < 36) EXPECT_FALSE(looks_through({numbered_script(9)}));
  const chain::OutPoint coin{TxBuilder(5).build().txid(), 0};
  const chain::OutPoint other{TxBuilder(6).build().txid(), 0};
  note(TxBuilder(2).spends(coin).spends(other).pays(numbered_script(2), 300).build());
  EXPECT_TRUE(looks_through({numbered_script(9)}));
  const auto rival = TxBuilder(3).spends(coin).pays(numbered_script(9), 300).build();
  scan_.on_confirmed(rival, rival.txid());
  EXPECT_FALSE(looks_through({numbered_script(9)}));
}

TEST_F(CompactScanTest, OldBlocksAreNotLookedThroughForPaymentsThatWait) {
  EXPECT_FALSE(looks_through({numbered_script(9)}));
  note(TxBuilder(2).pays(numbered_script(2), 300).build());
  EXPECT_FALSE(looks_through({numbered_script(9)}));
}

// All that is watched is gone through once, however many payments come.
TEST_F(CompactScanTest, APaymentCostsWhatItSpendsAndNotWhatTheWalletHolds) {
  std::vector<chain::OutPoint> coins;
  for (std::uint32_t i = 0; i < 1'000; ++i) {
    const auto tx = TxBuilder(100 + i).pays(numbered_script(i), 500).build();
    watcher_.add(tx);
    watcher_.scripts.push_back(numbered_script(i));
    watcher_.outpoints.push_back({tx.txid(), 0});
  }
  scan_.renew();
  EXPECT_FALSE(looks_through({numbered_script(5'000)}));
  watcher_.shown = 0;
  for (std::uint32_t i = 0; i < 20; ++i) {
    note(TxBuilder(2'000 + i).spends(watcher_.outpoints[i]).pays(numbered_script(i), 300).build());
    EXPECT_FALSE(looks_through({numbered_script(5'000)}));
  }
  EXPECT_EQ(watcher_.shown, 20U) << "one input each";
}

TEST_F(CompactScanTest, AFilterThatIsNotTheOneOfOurHeadersEndsTheConnection) {
  EXPECT_FALSE(looks_through({numbered_script(9)}));
  const chain::BlockRef block{1, mined_.block(1).hash};
  bip158::BasicFilterBuilder builder;
  EXPECT_EQ(scan_.look_at(block, builder.build(block.hash)).error(), DisconnectReason::BadFilter);
}

TEST_F(CompactScanTest, AFilterLargerThanAnyBlockNeedsIsNotRead) {
  EXPECT_FALSE(looks_through({numbered_script(9)}));
  const util::Bytes huge(300'001);
  EXPECT_EQ(scan_.look_at({1, mined_.block(1).hash}, huge).error(), DisconnectReason::BadFilter);
}

TEST_F(CompactScanTest, ADoubtfulBlockIsLookedThroughWhateverItsFilterSays) {
  EXPECT_FALSE(looks_through({numbered_script(9)}));
  scan_.doubt(1);
  EXPECT_TRUE(scan_.look_at({1, mined_.block(1).hash}, {}).value());
  scan_.cut_above(0);
  EXPECT_FALSE(scan_.look_at({1, mined_.block(1).hash}, {}).has_value()) << "the block is another";
}

TEST_F(CompactScanTest, ABlockOfOnePeersFilterIsConfirmedOnceASecondHasSentTheSame) {
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(looks_through({numbered_script(9)}));
  EXPECT_FALSE(scan_.on_applied(1));
  EXPECT_TRUE(scan_.take_confirmed().empty());
  // A second one is being compared.
  scan_.headers().add(2);
  EXPECT_FALSE(scan_.on_applied(2));
  EXPECT_TRUE(scan_.take_confirmed().empty());
}

}  // namespace
}  // namespace spv::sync
