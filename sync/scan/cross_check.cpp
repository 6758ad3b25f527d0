#include "sync/scan/cross_check.h"

#include <algorithm>

#include "util/ensure.h"

namespace spv::sync {

void CrossCheck::on_applied(const ScannedBlock& block, const std::vector<chain::Txid>& ours, bool found_before) {
  if (mode_ == CrossCheckMode::Off) return;
  constexpr std::uint64_t kOneIn = static_cast<std::uint64_t>(1 / kSampleShare);
  const bool is_hit = found_before || !ours.empty();
  const bool chosen = mode_ == CrossCheckMode::Full || is_hit || rng_.below(kOneIn) == 0;
  if (!chosen || cases_.size() >= kMaxWaiting) return;
  Case& item = cases_[block.block.height];
  disputes_ -= item.second ? 1U : 0U;
  item = {.block = block.block,
          .first = claim_of(block, {ours.begin(), ours.end()}),
          .proved = !block.matched.empty(),
          .second = std::nullopt,
          .asked = std::nullopt};
}

std::vector<chain::BlockRef> CrossCheck::pick(PeerId peer, std::size_t count, chain::Height last) const {
  std::vector<chain::BlockRef> blocks;
  for (auto it = cases_.begin(); it != cases_.end() && it->first <= last && blocks.size() < count; ++it) {
    const Case& item = it->second;
    if (item.first.peer != peer && !item.second && !item.asked) blocks.push_back(item.block);
  }
  return blocks;
}

std::vector<chain::BlockRef> CrossCheck::disputed(chain::Height last) const {
  std::vector<chain::BlockRef> blocks;
  if (disputes_ == 0) return blocks;
  for (auto it = cases_.begin(); it != cases_.end() && it->first <= last; ++it) {
    if (it->second.second && !it->second.asked) blocks.push_back(it->second.block);
  }
  return blocks;
}

void CrossCheck::asked(const std::vector<chain::BlockRef>& blocks, RequestId request) {
  for (const auto& block : blocks) {
    cases_.at(block.height).asked = request;
    ++request.number;
  }
}

bool CrossCheck::wants(const ScannedBlock& block) const {
  const auto found = cases_.find(block.block.height);
  return found != cases_.end() && found->second.asked == block.request;
}

CrossCheck::Claim CrossCheck::claim_of(const ScannedBlock& block, std::set<chain::Txid> ours) {
  Claim claim{.peer = block.request.peer,
              .transactions = block.transactions,
              .ours = std::move(ours),
              .compact = block.request.kind == BlockKind::Compact,
              .matches = block.needs_whole,
              .matched = {}};
  claim.matched = claim.ours;
  if (block.matched.size() > claim.ours.size() + kMaxStrangers) return claim;
  for (const auto& proven : block.matched) claim.matched.insert(proven.txid);
  return claim;
}

CrossCheck::Verdict CrossCheck::judge(const ScannedBlock& second, std::set<chain::Txid> ours) {
  const auto found = cases_.find(second.block.height);
  util::ensure(found != cases_.end(), "a check that nobody asked for");
  Case& item = found->second;
  const Claim claim = claim_of(second, std::move(ours));
  const bool whole = second.request.kind == BlockKind::Whole;
  Verdict verdict{.first = item.first.peer, .second = whole ? item.second->peer : claim.peer};
  const auto faults = compare(item, second, claim);
  if (faults) {
    disputes_ -= item.second ? 1U : 0U;
    verdict.faults = *faults;
    verdict.attested = !faults->first && (whole || !faults->second);
    cases_.erase(found);
  } else {
    disputes_ += item.second ? 0U : 1U;
    item.second = claim;
    item.asked.reset();
  }
  return verdict;
}

std::optional<CrossCheck::Faults> CrossCheck::compare(const Case& item, const ScannedBlock& second,
                                                      const Claim& claim) {
  if (second.request.kind == BlockKind::Whole) {
    return Faults{.first = fault_of(item.first, claim), .second = fault_of(*item.second, claim)};
  }
  if (item.first.compact) return Faults{.first = fault_of(item.first, claim)};
  if (claim.compact) {
    if (claim.matches) return std::nullopt;  // by what is known, by chance, or something was left out
    return Faults{.second = fault_of(claim, item.first)};
  }
  if (claim.transactions != item.first.transactions) return compare_shapes(item, second);
  return compare_matches(item.first, claim);
}

std::optional<DisconnectReason> CrossCheck::fault_of(const Claim& claim, const Claim& truth) {
  if (claim.compact) {
    return claim.matches || truth.ours.empty() ? std::nullopt : std::optional(DisconnectReason::FalseFilter);
  }
  if (claim.transactions != truth.transactions) return DisconnectReason::BadProof;
  return std::ranges::includes(claim.matched, truth.ours) ? std::nullopt : std::optional(DisconnectReason::Omission);
}

// All leaves of a tree are at one depth, and a delivered transaction is a leaf for certain (it is not of the 64 bytes
// that an inner node has): a proof that came with one has the true shape.
std::optional<CrossCheck::Faults> CrossCheck::compare_shapes(const Case& first, const ScannedBlock& second) {
  const bool second_proved = !second.matched.empty();
  if (first.proved == second_proved) return std::nullopt;
  return first.proved ? Faults{.second = DisconnectReason::BadProof} : Faults{.first = DisconnectReason::BadProof};
}

CrossCheck::Faults CrossCheck::compare_matches(const Claim& first, const Claim& second) {
  Faults faults;
  if (!std::ranges::includes(first.matched, second.ours)) faults.first = DisconnectReason::Omission;
  if (!std::ranges::includes(second.matched, first.ours)) faults.second = DisconnectReason::Omission;
  return faults;
}

bool CrossCheck::waits_for(PeerId peer, chain::Height last) const {
  return std::any_of(cases_.begin(), cases_.upper_bound(last),
                     [peer](const auto& item) { return !item.second.second && item.second.first.peer != peer; });
}

void CrossCheck::lost(PeerId peer) {
  for (auto& [height, item] : cases_) {
    if (item.asked && item.asked->peer == peer) item.asked.reset();
  }
}

void CrossCheck::clear() {
  cases_.clear();
  disputes_ = 0;
}

void CrossCheck::restart(chain::Height fork) {
  const auto gone = cases_.upper_bound(fork);
  for (auto it = gone; it != cases_.end(); ++it) disputes_ -= it->second.second ? 1U : 0U;
  cases_.erase(gone, cases_.end());
  for (auto& [height, item] : cases_) item.asked.reset();
}

}  // namespace spv::sync
