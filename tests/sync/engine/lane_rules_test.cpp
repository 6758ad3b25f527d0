#include "sync/engine/lane_rules.h"

#include <gtest/gtest.h>

namespace spv::sync {
namespace {

constexpr std::uint64_t kBloom = p2p::services::kNetwork | p2p::services::kBloom;
constexpr std::uint64_t kPlain = p2p::services::kNetwork;

Peer peer(const char* host, std::uint64_t services) {
  Peer peer;
  peer.address = {host, 8333};
  peer.session.emplace(1, util::Now{});
  p2p::Version version;
  version.nonce = 2;
  version.services = services;
  (void)peer.session->handle(version, {});
  (void)peer.session->handle(p2p::Verack{}, {});
  return peer;
}

bool serves(const Peer& peer, const SourceOptions& source) { return can_serve(lane_use(peer, source), source); }

TEST(LaneRules, FiltersAreUsedWhereThePeerOffersThemAndTheUserWantsThem) {
  EXPECT_TRUE(lane_use(peer("11.0.0.1", kBloom), {}).filtered);
  EXPECT_FALSE(lane_use(peer("11.0.0.1", kPlain), {}).filtered);
  EXPECT_FALSE(lane_use(peer("11.0.0.1", kBloom), {.mode = SourceMode::Blocks}).filtered);
  EXPECT_TRUE(lane_use(peer("127.0.0.1", kPlain), {}).local);
  EXPECT_FALSE(lane_use(peer("11.0.0.1", kPlain), {}).local);
}

TEST(LaneRules, APeerWithoutFiltersServesOnlyWhereWholeBlocksMayBeAskedFor) {
  const auto far = peer("11.0.0.1", kPlain);
  const auto near = peer("127.0.0.1", kPlain);
  EXPECT_FALSE(serves(near, {.mode = SourceMode::Filter}));
  EXPECT_TRUE(serves(far, {.mode = SourceMode::Blocks}));
  EXPECT_FALSE(serves(far, {.mode = SourceMode::Auto}));
  EXPECT_TRUE(serves(far, {.mode = SourceMode::Auto, .max_download = 1}));
  EXPECT_TRUE(serves(near, {.mode = SourceMode::Auto}));
}

TEST(LaneRules, AStrangerWithoutBloomFiltersIsMakeshiftWhereTheyAreWanted) {
  const auto is_so = [](const Peer& peer, const SourceOptions& source) {
    return is_makeshift(lane_use(peer, source), source);
  };
  const auto compact = peer("11.0.0.1", kPlain | p2p::services::kCompactFilters);
  EXPECT_TRUE(is_so(compact, {.mode = SourceMode::Filter, .or_compact = true}));
  EXPECT_TRUE(is_so(compact, {.mode = SourceMode::Auto}));
  EXPECT_FALSE(is_so(compact, {.mode = SourceMode::Compact}));
  EXPECT_FALSE(is_so(compact, {.mode = SourceMode::Blocks}));
  EXPECT_FALSE(is_so(peer("11.0.0.1", kBloom), {.mode = SourceMode::Auto}));
  EXPECT_FALSE(is_so(peer("127.0.0.1", kPlain | p2p::services::kCompactFilters), {.mode = SourceMode::Auto}));
}

}  // namespace
}  // namespace spv::sync
