// CrossCheck: a peer can lie by silence: a merkleblock with one of our transactions left out is still a valid proof. So
// blocks that one peer has served are asked for from a second one, and what one proves and the other left out convicts
// the other (security.md E6). Where neither proves the other wrong, the whole block decides: it cannot lie. Sample:
// every block that holds something of ours, and a random share of the rest; full: every block.
//
// A block is checked after it was applied, so the scan does not wait for it (but for a stretch that is scanned in
// slices, which ends with its checks); what a check brings to light is mended.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "sync/scan/scanned_block.h"
#include "util/rng.h"

namespace spv::sync {

enum class CrossCheckMode { Off, Sample, Full };

class CrossCheck {
 public:
  /// The share of blocks without anything of ours that `sample` looks at.
  static constexpr double kSampleShare = 0.05;
  /// Blocks that wait for their check, at most: more wait for a second peer in vain.
  static constexpr std::size_t kMaxWaiting = 10'000;
  /// Strangers that are remembered with one block: more come only where a filter is so full that it tells nothing.
  static constexpr std::size_t kMaxStrangers = 20;

  CrossCheck(CrossCheckMode mode, util::Rng rng) : mode_(mode), rng_(rng) {}

  /// A block was applied. `ours`: the transactions in it that are the wallet's; `found_before`: another slice's answer
  /// about the same block had some.
  void on_applied(const ScannedBlock& block, const std::vector<chain::Txid>& ours, bool found_before = false);

  /// Up to `count` blocks that a peer which has all up to `last` should be asked for, because another has served them.
  [[nodiscard]] std::vector<chain::BlockRef> pick(PeerId peer, std::size_t count, chain::Height last) const;
  /// Blocks up to `last` that two peers dispute: to be asked for whole, from whomever.
  [[nodiscard]] std::vector<chain::BlockRef> disputed(chain::Height last) const;
  /// They went out: the first as `request`, the others counted on from it.
  void asked(const std::vector<chain::BlockRef>& blocks, RequestId request);
  /// True if an answer is one that a check waits for.
  [[nodiscard]] bool wants(const ScannedBlock& block) const;

  /// What is wrong with each of two answers.
  struct Faults {
    std::optional<DisconnectReason> first = std::nullopt;
    std::optional<DisconnectReason> second = std::nullopt;
  };
  /// What two answers for one block come to.
  struct Verdict {
    PeerId first = 0;   // whose answer was applied
    PeerId second = 0;  // who was asked to check it
    Faults faults = {};
    bool attested = false;  // the first answer holds by another's word too
  };
  /// Takes the answer for a block that wants() named; `ours`: the transactions in it that are the wallet's. Ends the
  /// check, unless both proofs hold, the block cannot have both shapes (M14), and nothing tells which one it has: then
  /// it is disputed.
  Verdict judge(const ScannedBlock& second, std::set<chain::Txid> ours);

  /// What this peer was asked for must be asked for elsewhere; what it served can no longer be held against it.
  void lost(PeerId peer);
  /// Answers under way will not come; blocks above `fork` are gone.
  void restart(chain::Height fork);
  /// Forgets every check: from now on blocks are asked for by what else is watched.
  void clear();
  /// True if this peer, which has all up to `last`, is being asked or should be.
  [[nodiscard]] bool waits_for(PeerId peer, chain::Height last) const;

  /// True if no check is still to come.
  [[nodiscard]] bool is_empty() const { return cases_.empty(); }
  /// True if two peers dispute a block and it is not decided yet.
  [[nodiscard]] bool has_disputes() const { return disputes_ > 0; }

 private:
  /// What one peer says of a block.
  struct Claim {
    PeerId peer = 0;
    std::uint32_t transactions = 0;
    std::set<chain::Txid> ours;
    bool compact = false;           // a compact filter's word: it may match, but names no transaction
    bool matches = false;           // and it does
    std::set<chain::Txid> matched;  // and all else that it proved: what turns out to be ours later it has not left out
  };
  struct Case {
    chain::BlockRef block;
    Claim first;
    bool proved = false;          // a transaction was delivered with it
    std::optional<Claim> second;  // contradicts it, and nothing tells which one is true
    std::optional<RequestId> asked;
  };

  static std::optional<DisconnectReason> fault_of(const Claim& claim, const Claim& truth);
  /// Nothing if it cannot be told which one is true.
  static std::optional<Faults> compare_shapes(const Case& first, const ScannedBlock& second);
  static Claim claim_of(const ScannedBlock& block, std::set<chain::Txid> ours);
  static Faults compare_matches(const Claim& first, const Claim& second);
  [[nodiscard]] static std::optional<Faults> compare(const Case& item, const ScannedBlock& second, const Claim& claim);

  CrossCheckMode mode_;
  util::Rng rng_;
  std::map<chain::Height, Case> cases_;
  std::size_t disputes_ = 0;  // cases with a second claim
};

}  // namespace spv::sync
