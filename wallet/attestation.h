// Attestation: on whose word scanned blocks rest. A peer can leave out a transaction of ours with a proof that holds,
// so a block counts by the word of one peer, of two that gave it alike, or by itself, where it came whole.
//
// Kept as counts for each 2,016 blocks, so that a wallet of any age needs little. What is scanned again, or leaves the
// chain, is taken off every count that may have held it: a count may be too low by that, but never too high.
#pragma once

#include <cstdint>
#include <vector>

#include "chain/types.h"

namespace spv::wallet {

class Attestation {
 public:
  static constexpr chain::Height kPeriod = 2'016;

  struct Period {
    std::uint32_t index = 0;  // its blocks begin at index * kPeriod
    std::uint16_t by_two = 0;
    std::uint16_t whole = 0;
    friend bool operator==(const Period&, const Period&) = default;
  };
  struct Counts {
    std::uint64_t by_two = 0;
    std::uint64_t whole = 0;
    friend bool operator==(const Counts&, const Counts&) = default;
  };

  /// Two peers gave this block alike. Each block counts once, until it is forgotten.
  void add_by_two(chain::Height height);
  /// This block came whole.
  void add_whole(chain::Height height);
  /// What others attest, of blocks that do not count here yet.
  void add(const Attestation& others);
  /// These blocks, both ends included, rest on nothing any more.
  void forget(chain::Height from, chain::Height to);
  [[nodiscard]] Counts total() const;

  /// Ascending, none of them empty.
  [[nodiscard]] const std::vector<Period>& periods() const { return periods_; }
  /// False, and nothing is taken, for periods that add_by_two and add_whole cannot have made.
  bool restore(std::vector<Period> periods);

  friend bool operator==(const Attestation&, const Attestation&) = default;

 private:
  Period& period_of(chain::Height height);

  std::vector<Period> periods_;
};

}  // namespace spv::wallet
