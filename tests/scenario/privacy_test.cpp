// What a node learns of a wallet, by each source of blocks, counted from what it was asked for. docs/privacy.md has the
// figures, which this prints: spv_scenario_tests --gtest_filter='Privacy.*'
#include <algorithm>
#include <cstdio>
#include <set>

#include "tests/scenario/sync_scenario.h"
#include "wallet/script.h"

namespace spv::test {
namespace {

using Source = sync::SourceMode;

constexpr std::uint32_t kPayments = 100;
constexpr int kBlocks = 1'000;
constexpr int kStrangers = 40;  // transactions of others in a block, with two scripts each
constexpr std::size_t kRandomScripts = 10'000'000;

/// What a node has seen of a whole sync.
struct View {
  std::size_t filters = 0;       // bloom filters that it got
  std::size_t ours = 0;          // scripts of ours among those that it must suspect
  std::size_t suspects = 0;      // scripts on the chain that it must suspect
  std::size_t by_chance = 0;     // of random scripts, those that its filter matches
  std::size_t blocks = 0;        // whole blocks that it was asked for
  std::size_t transactions = 0;  // loose transactions that it has sent: matches of its filter
  std::size_t sent = 0;          // bytes
};

class Privacy : public SyncScenario {
 protected:
  /// A tenth of the blocks pays us; the coins of the first half are spent again.
  ChainBuilder chain() {
    util::Rng rng(std::uint64_t{1});
    ChainBuilder out;
    std::vector<chain::Transaction> received;
    for (int block = 0; block < kBlocks; ++block) {
      std::vector<chain::Transaction> txs;
      for (int i = 0; i < kStrangers; ++i) {
        txs.push_back(TxBuilder(rng.next()).pays(p2wpkh(rng.bytes(20)), 500).pays(p2wpkh(rng.bytes(20)), 600).build());
      }
      const auto number = static_cast<std::uint32_t>(received.size());
      if (block % (kBlocks / static_cast<int>(kPayments)) == 3 && number < kPayments) {
        received.push_back(TxBuilder(rng.next()).pays(receive(number), 10'000).build());
        txs.push_back(received.back());
        if (number >= kPayments / 2) {
          const auto& coin = received[number - kPayments / 2];
          txs.push_back(TxBuilder(rng.next()).spends(coin).pays(p2wpkh(rng.bytes(20)), 9'000).build());
        }
      }
      out.block(std::move(txs));
    }
    return out;
  }

  /// The node adds up what it sends.
  static void count(FakeNode& node, View& view) {
    node.add_fault([&view](Reply& reply) {
      for (const auto& message : reply.messages) {
        view.sent += p2p::encode_frame(chain::params(chain::Network::Regtest).magic, message).size();
        view.transactions += std::holds_alternative<p2p::Tx>(message) ? 1U : 0U;
      }
    });
  }

  static bool matches(const bip37::BloomFilter& filter, const util::Bytes& script) {
    const auto element = wallet::filter_element(script);
    return element && filter.contains(*element);
  }
  /// What the node can make of what it was asked for.
  void conclude(const FakeNode& node, View& view) {
    std::set<util::Bytes> ours;
    for (std::uint32_t i = 0; i < kPayments; ++i) ours.insert(receive(i));
    std::set<util::Bytes> suspects;
    view.filters = node.seen.filter_loads.size();
    view.blocks = node.seen.whole_blocks.size();
    const bool all = view.filters > 0;
    for (chain::Height at = 1; at <= node.chain().height(); ++at) {
      if (!all && !node.seen.whole_blocks.contains(at)) continue;
      for (const auto& tx : node.chain().block(at).txs) {
        for (const auto& output : tx.outputs) suspects.insert(output.script_pubkey);
      }
    }
    if (view.filters > 0) {
      const auto& filter = node.seen.filter_loads.back();
      std::erase_if(suspects, [&](const auto& script) { return !matches(filter, script); });
      util::Rng rng(std::uint64_t{2});
      for (std::size_t i = 0; i < kRandomScripts; ++i) view.by_chance += filter.contains(rng.bytes(20)) ? 1U : 0U;
    }
    view.suspects = suspects.size();
    std::erase_if(suspects, [&](const auto& script) { return !ours.contains(script); });
    view.ours = suspects.size();
  }

  View see(Source source, std::size_t nodes = 1) {
    options.source = {.mode = source};
    start_anew(7);
    const auto mined = chain();
    std::vector<View> views(nodes);
    for (std::size_t i = 0; i < nodes; ++i) {
      auto& node = add_node(mined, FakeNode::kDefaultServices | p2p::services::kCompactFilters);
      count(node.fake, views[i]);
    }
    sync();
    EXPECT_EQ(difference(mined), "");
    for (std::size_t i = 0; i < nodes; ++i) conclude(sim().node(i).fake, views[i]);
    sim().stop();
    return *std::ranges::max_element(views, {}, &View::blocks);
  }
  static void print(const char* name, const View& view) {
    std::printf("| %-22s | %6zu | %5zu | %6zu | %6zu | %6zu | %8.2f |\n", name, view.suspects, view.ours, view.blocks,
                view.transactions, view.by_chance, static_cast<double>(view.sent) / 1e6);
  }
};

TEST_F(Privacy, WhatANodeLearnsByEachSource) {
  const View filter = see(Source::Filter);
  const View compact = see(Source::Compact);
  const View shared = see(Source::Compact, 4);
  const View whole = see(Source::Blocks);
  std::printf("| source                 | suspects | ours | blocks | transactions | by chance | MB sent |\n");
  print("filter", filter);
  print("compact, one node", compact);
  print("compact, one of four", shared);
  print("blocks", whole);

  constexpr std::size_t kPaying = kPayments;
  EXPECT_EQ(filter.ours, kPayments);
  EXPECT_LE(filter.suspects, kPayments + 5) << "the filter names our scripts, and next to none of others";
  EXPECT_LE(filter.by_chance, 40U) << "1 in 10^6";
  EXPECT_EQ(filter.blocks, 0U);
  EXPECT_GE(filter.transactions, kPayments + kPayments / 2);

  EXPECT_EQ(compact.filters + shared.filters + whole.filters, 0U);
  EXPECT_EQ(compact.transactions + shared.transactions + whole.transactions, 0U);
  EXPECT_GE(compact.blocks, kPaying);
  EXPECT_LE(compact.blocks, kPaying + 10) << "a match by chance is rare";
  EXPECT_GE(compact.suspects, compact.blocks * kStrangers) << "nothing tells ours from the others in a block";
  EXPECT_LT(shared.blocks, compact.blocks);

  EXPECT_EQ(whole.blocks, static_cast<std::size_t>(kBlocks)) << "every block alike";
  EXPECT_GT(whole.sent, compact.sent);
  EXPECT_GT(compact.sent, filter.sent);
}

}  // namespace
}  // namespace spv::test
