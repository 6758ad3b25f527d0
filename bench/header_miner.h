// Headers with their proof of work, for programs that measure what checking them costs.
#pragma once

#include <vector>

#include "chain/block_header.h"
#include "chain/params.h"
#include "chain/pow.h"

namespace spv::bench {

/// The block after `parent` with its proof of work.
inline chain::BlockHeader mine_on(const chain::BlockHeader& parent, const chain::BlockHash& parent_hash,
                                  const chain::NetworkParams& params, std::uint32_t bits, std::uint32_t seconds,
                                  chain::BlockHash& hash) {
  chain::BlockHeader next = parent;
  next.version = 4;
  next.previous = parent_hash;
  next.time += seconds;
  next.bits = bits;
  next.nonce = 0;
  while (!chain::check_proof_of_work(hash = next.hash(), bits, params)) ++next.nonce;
  return next;
}

/// Headers of one chain, batch by batch, so that nobody holds them all.
class Miner {
 public:
  Miner(const chain::NetworkParams& params, std::uint32_t bits, std::uint32_t seconds, std::uint8_t salt = 0)
      : params_(params), bits_(bits), seconds_(seconds), last_(params.genesis), hash_(params.genesis_hash) {
    last_.merkle_root.bytes[0] = salt;
  }
  std::vector<chain::BlockHeader> next(std::size_t count) {
    std::vector<chain::BlockHeader> out;
    out.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      const chain::BlockHash parent = hash_;
      out.push_back(last_ = mine_on(last_, parent, params_, bits_, seconds_, hash_));
    }
    return out;
  }

 private:
  const chain::NetworkParams& params_;
  std::uint32_t bits_;
  std::uint32_t seconds_;
  chain::BlockHeader last_;
  chain::BlockHash hash_;
};

}  // namespace spv::bench
