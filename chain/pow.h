// Proof of work: compact targets ("bits"), the work they stand for, and the arithmetic of a retarget.
// Which bits a block must have depends on its ancestors: see header_rules.h.
#pragma once

#include <cstdint>
#include <optional>

#include "chain/params.h"
#include "chain/types.h"
#include "chain/uint256.h"

namespace spv::chain {

/// Blocks between two retargets.
inline constexpr Height kRetargetInterval = 2016;

/// Where a scan from `height` begins: the start of its difficulty period, which tells less of a wallet's age; on a
/// network without periods the height itself.
inline Height scan_start(const NetworkParams& params, Height height) {
  return params.no_retargeting ? height : height - height % kRetargetInterval;
}
/// Seconds a block should take.
inline constexpr std::int64_t kTargetSpacing = 600;
/// Seconds a period should take.
inline constexpr std::int64_t kTargetTimespan = kRetargetInterval * kTargetSpacing;

/// True for the first block of a difficulty period.
constexpr bool starts_period(Height height) { return height % kRetargetInterval == 0; }

/// The target that `bits` stand for; nothing if it is zero, negative or does not fit 256 bits.
std::optional<Uint256> decode_bits(std::uint32_t bits);
/// The shortest compact form; drops all but the 16 to 24 highest bits of the target.
std::uint32_t encode_bits(const Uint256& target);
/// The expected number of hashes to meet a target: 2^256 / (target + 1), rounded down.
Uint256 work_of_target(const Uint256& target);
/// The work of a block with these bits; zero if they are no target.
Uint256 work_of_bits(std::uint32_t bits);
/// True if the hash, read as a number, is at most the target.
bool meets_target(const BlockHash& hash, const Uint256& target);
/// True if `bits` are a target within the network's limit and `hash` meets it.
bool check_proof_of_work(const BlockHash& hash, std::uint32_t bits, const NetworkParams& params);

/// The bits of a new period: `base_bits` scaled by the time from the first to the last block of the period
/// that ended (2015 intervals), between a quarter and four times, at most the network's limit.
std::uint32_t retarget(std::uint32_t base_bits, std::uint32_t first_time, std::uint32_t last_time,
                       const NetworkParams& params);

/// Target and work of the bits seen last: nearly every header has those of the one before.
class TargetCache {
 public:
  struct Entry {
    std::uint32_t bits = 0;
    Uint256 target;  // zero, which no hash meets, if the bits are bad or above the limit
    Uint256 work;
  };
  explicit TargetCache(const NetworkParams& params) : limit_(params.pow_limit) {}
  const Entry& get(std::uint32_t bits);

 private:
  Uint256 limit_;
  Entry entry_;
};

}  // namespace spv::chain
