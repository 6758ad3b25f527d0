#include "chain/checkpoints.h"

#include <algorithm>
#include <array>
#include <vector>

#include "chain/checkpoint_table.h"
#include "chain/pow.h"
#include "util/ensure.h"
#include "util/hex.h"

namespace spv::chain {
namespace {

struct Row {
  Height height;
  std::string_view hash;
};
// Those that Bitcoin Core had, beside the table.
constexpr std::array kMainRows = {
    Row{11'111, "0000000069e244f73d78e8fd29ba2fd2ed618bd6fa2ee92559f542fdb26e7c1d"},
    Row{33'333, "000000002dd5588a74784eaa7ab0507a18ad16a236e7b1ce69f00d7ddfb5d0a6"},
    Row{74'000, "0000000000573993a3c9e41ce34471c079dcf5f52a0e824a81e7f953b8661a20"},
    Row{105'000, "00000000000291ce28027faea320c8d2b054b2e0fe44a773f3eefb151d6bdc97"},
    Row{134'444, "00000000000005b12ffd4cd315cd34ffd4a594f430ac814c91184a0d42d2b0fe"},
    Row{168'000, "000000000000099e61ea72015e79632f216fe6cb33d7899acb35b75c8303b763"},
    Row{193'000, "000000000000059f452a5f7340de6682a977387c17010ff6e6c3bd83ca8b1317"},
    Row{210'000, "000000000000048b95347e83192f69cf0366076336c639f9b7228e9ba171342e"},
    Row{216'116, "00000000000001b4f4b433e81ee46494af945cf96014816a4e2370f11b23df4e"},
    Row{225'430, "00000000000001c108384350f74090433e7fcf79a606b8e797f065b130575932"},
    Row{250'000, "000000000000003887df1f29024b06fc2200b55f8af8f35453d7be294df2d214"},
    Row{279'000, "0000000000000001ae8c72a0b0c301f67e3afca10e819efa9041e458e9bd7e40"},
    Row{295'000, "00000000000000004d9b4ef50f0f9d686fd69db2e03af35a100370c64632a983"},
};
constexpr std::array kTestnet3Rows = {
    Row{546, "000000002a936ca763904c3c35fce2f3556c559c0214345d31b1bcebf76acb70"},
};

std::span<const Row> rows_of(Network network) {
  if (network == Network::Main) return kMainRows;
  if (network == Network::Testnet3) return kTestnet3Rows;
  return {};
}

Checkpoint checkpoint(Height height, std::string_view display_hex) {
  const auto hash = util::parse_hash<BlockHash>(display_hex);
  util::ensure(hash.has_value(), "a checkpoint's hash is not hex");
  return {.height = height, .hash = *hash};
}

StartPoint start_point(const StartPointRow& row) {
  const auto bytes = util::from_hex(row.header);
  const auto work = Uint256::from_hex(row.work);
  util::ensure(bytes && bytes->size() == BlockHeader::kSize && work, "a start point is not hex");
  const std::span<const std::uint8_t, BlockHeader::kSize> header(bytes->data(), BlockHeader::kSize);
  return {.height = row.height, .header = BlockHeader::from_bytes(header), .work = *work};
}

std::vector<StartPoint> make_start_points(Network network) {
  std::vector<StartPoint> points;
  for (const auto& row : checkpoint_table(network).start_points) points.push_back(start_point(row));
  return points;
}

std::vector<Checkpoint> make_checkpoints(Network network) {
  std::vector<Checkpoint> checkpoints;
  for (const auto& row : rows_of(network)) checkpoints.push_back(checkpoint(row.height, row.hash));
  const auto table = checkpoint_table(network);
  Height height = -1;
  for (const auto hash : table.hashes) {
    height += kRetargetInterval * table.periods_between;
    checkpoints.push_back(checkpoint(height, hash));
  }
  for (const auto& point : built_in_start_points(network)) checkpoints.push_back({point.height, point.header.hash()});
  std::sort(checkpoints.begin(), checkpoints.end(), [](const auto& a, const auto& b) { return a.height < b.height; });
  return checkpoints;
}

/// One list a network, made when it is first asked for.
template <typename List>
using PerNetwork = std::array<List, 5>;

template <typename Make>
auto for_each_network(Make make) {
  return PerNetwork<decltype(make(Network::Main))>{make(Network::Main), make(Network::Testnet3),
                                                   make(Network::Testnet4), make(Network::Signet),
                                                   make(Network::Regtest)};
}

}  // namespace

std::span<const StartPoint> built_in_start_points(Network network) {
  static const auto kAll = for_each_network(make_start_points);
  return kAll[static_cast<std::size_t>(network)];
}

std::span<const Checkpoint> built_in_checkpoints(Network network) {
  static const auto kAll = for_each_network(make_checkpoints);
  return kAll[static_cast<std::size_t>(network)];
}

std::optional<StartPoint> start_point_before(const NetworkParams& params, Height birthday) {
  std::optional<StartPoint> best;
  for (const auto& point : params.start_points) {
    if (point.height <= birthday) best = point;
  }
  return best;
}

std::optional<StartPoint> start_point_before_time(const NetworkParams& params, util::UnixTime birthday) {
  std::optional<StartPoint> best;
  for (const auto& point : params.start_points) {
    // Times need not ascend on the test networks: the first that is too late ends the search.
    if (point.header.time > birthday - kStartMarginSeconds) break;
    best = point;
  }
  return best;
}

}  // namespace spv::chain
