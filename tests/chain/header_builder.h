// Headers for tests: mined at regtest's difficulty, where every second hash will do.
#pragma once

#include <cstdint>
#include <vector>

#include "chain/block_header.h"
#include "chain/header_chain.h"
#include "chain/header_store.h"
#include "chain/params.h"
#include "chain/pow.h"

namespace spv::chain::test {

/// Long after every header made here.
inline constexpr util::UnixTime kLater = 4'000'000'000;

/// Tries nonces until the header has its proof of work.
inline BlockHeader mined(BlockHeader header, const NetworkParams& network = params(Network::Regtest)) {
  while (!check_proof_of_work(header.hash(), header.bits, network)) ++header.nonce;
  return header;
}

/// The opposite: a header that is right but for its proof of work.
inline BlockHeader unmined(BlockHeader header, const NetworkParams& network = params(Network::Regtest)) {
  while (check_proof_of_work(header.hash(), header.bits, network)) ++header.nonce;
  return header;
}

/// The block after `parent`, ten minutes later; `salt` tells branches apart.
inline BlockHeader child_of(const BlockHeader& parent, std::uint8_t salt = 0) {
  BlockHeader header{.version = 4,
                     .previous = parent.hash(),
                     .merkle_root = {},
                     .time = parent.time + 600,
                     .bits = parent.bits,
                     .nonce = 0};
  header.merkle_root.bytes[0] = salt;
  return header;
}

/// `count` mined headers on top of `parent`.
inline std::vector<BlockHeader> mine_on(const BlockHeader& parent, std::size_t count, std::uint8_t salt = 0) {
  std::vector<BlockHeader> headers;
  headers.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    headers.push_back(mined(child_of(headers.empty() ? parent : headers.back(), salt)));
  }
  return headers;
}

/// A chain in memory from a network's genesis.
struct MemoryChain {
  explicit MemoryChain(const NetworkParams& network = params(Network::Regtest), const BranchLimits& limits = {})
      : store(0, network.genesis, work_of_bits(network.genesis.bits)), chain(network, store, limits) {}

  AcceptResult accept(std::span<const BlockHeader> headers, util::UnixTime now = kLater) {
    return chain.accept(headers, now);
  }
  /// One of several peers sends headers.
  AcceptResult accept_from(SourceId source, std::span<const BlockHeader> headers) {
    return chain.accept(headers, kLater, {.id = source, .is_sole = false});
  }
  AcceptResult accept(const BlockHeader& header, util::UnixTime now = kLater) {
    return chain.accept(std::span(&header, 1), now);
  }

  MemoryHeaderStore store;
  HeaderChain chain;
};

/// Regtest, but blocks may be of twice the work: so that a longer branch can be the lighter one.
struct TwoDifficulties {
  static constexpr std::uint32_t kHalf = 0x203FFFFF;
  explicit TwoDifficulties(std::uint32_t hard_bits = kHalf) {
    network.allow_min_difficulty_blocks = true;
    network.genesis.bits = hard_bits;
    network.genesis = mined(network.genesis, network);
    network.genesis_hash = network.genesis.hash();
  }
  /// After more than twenty minutes a block may be easy.
  std::vector<BlockHeader> easy(const BlockHeader& parent, std::size_t count, std::uint8_t salt = 0) const {
    std::vector<BlockHeader> out;
    for (std::size_t i = 0; i < count; ++i) {
      BlockHeader next = child_of(out.empty() ? parent : out.back(), salt);
      next.time += 601;
      next.bits = network.pow_limit_bits;
      out.push_back(mined(next, network));
    }
    return out;
  }
  std::vector<BlockHeader> hard(const BlockHeader& parent, std::size_t count) const {
    std::vector<BlockHeader> out;
    for (std::size_t i = 0; i < count; ++i) {
      BlockHeader next = child_of(out.empty() ? parent : out.back());
      next.bits = network.genesis.bits;
      out.push_back(mined(next, network));
    }
    return out;
  }
  NetworkParams network = params(Network::Regtest);
};

}  // namespace spv::chain::test
