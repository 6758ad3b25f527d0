// What makes each network: magic, ports, genesis, difficulty rules, address prefixes. All five are data here;
// nothing elsewhere asks "is this regtest?".
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "chain/block_header.h"
#include "chain/types.h"
#include "chain/uint256.h"

namespace spv::chain {

enum class Network { Main, Testnet3, Testnet4, Signet, Regtest };

struct Checkpoint {
  Height height = 0;
  BlockHash hash;
};

/// A block of the true chain with which a chain of headers may begin: the first of a difficulty period.
struct StartPoint {
  Height height = 0;
  BlockHeader header;
  /// Of all blocks up to and with this one.
  Uint256 work;
};

struct NetworkParams {
  Network network;
  /// The name on the command line: main, testnet, testnet4, signet, regtest.
  std::string_view name;
  std::array<std::uint8_t, 4> magic;
  std::uint16_t default_port;
  std::span<const std::string_view> dns_seeds;

  BlockHeader genesis;
  BlockHash genesis_hash;
  std::uint32_t pow_limit_bits;
  Uint256 pow_limit;
  bool allow_min_difficulty_blocks;  // the 20-minute rule of the test networks
  bool no_retargeting;               // regtest
  bool enforce_bip94;                // testnet4
  Uint256 minimum_chain_work;
  Height bip34_height;
  Height bip66_height;
  Height bip65_height;
  /// Blocks that the most-work chain must contain, ascending.
  std::span<const Checkpoint> checkpoints;
  /// Where a chain may begin instead of at genesis, ascending.
  std::span<const StartPoint> start_points;

  std::uint8_t p2pkh_prefix;
  std::uint8_t p2sh_prefix;
  std::uint8_t wif_prefix;
  std::uint32_t xpub_version;
  std::uint32_t xprv_version;
  std::string_view bech32_hrp;
  std::uint32_t bip44_coin_type;
  /// A best block older than this is doubtful; 0: blocks are mined on demand, so that any age is normal.
  std::int64_t stale_tip_seconds = 10'800;
  /// What a block may create is halved after so many.
  Height halving_interval = 210'000;
};

const NetworkParams& params(Network network);
/// The network of a command-line name.
std::optional<Network> parse_network(std::string_view name);

}  // namespace spv::chain
