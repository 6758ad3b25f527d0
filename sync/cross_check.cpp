#include "sync/cross_check.h"

#include <algorithm>

#include "util/ensure.h"

namespace spv::sync {

void CrossCheck::on_applied(const ScannedBlock& block, std::vector<chain::Txid> ours) {
  if (mode_ == CrossCheckMode::Off) return;
  constexpr std::uint64_t kOneIn = static_cast<std::uint64_t>(1 / kSampleShare);
  const bool chosen = mode_ == CrossCheckMode::Full || !ours.empty() || rng_.below(kOneIn) == 0;
  if (!chosen || cases_.size() >= kMaxWaiting) return;
  cases_[block.block.height] = {.block = block.block,
                                .first = block.request.peer,
                                .transactions = block.transactions,
                                .proved = !block.matched.empty(),
                                .ours = std::move(ours),
                                .asked = std::nullopt};
}

std::vector<chain::BlockRef> CrossCheck::pick(PeerId peer, std::size_t count, chain::Height last) const {
  std::vector<chain::BlockRef> blocks;
  for (auto it = cases_.begin(); it != cases_.end() && it->first <= last && blocks.size() < count; ++it) {
    if (it->second.first != peer && !it->second.asked) blocks.push_back(it->second.block);
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

CrossCheck::Verdict CrossCheck::judge(const ScannedBlock& second, const std::set<chain::Txid>& ours) {
  const auto found = cases_.find(second.block.height);
  util::ensure(found != cases_.end(), "a check that nobody asked for");
  Verdict verdict;
  verdict.first = found->second.first;
  if (second.transactions != found->second.transactions) {
    compare_shapes(found->second, second, verdict);
  } else {
    compare_matches(found->second, ours, verdict);
  }
  if (!verdict.first_fault && !verdict.second_fault) ++confirmed_;
  cases_.erase(found);
  return verdict;
}

// All leaves of a tree are at one depth, and a delivered transaction is a leaf for certain (it is not of the 64 bytes
// that an inner node has): a proof that came with one has the true shape.
void CrossCheck::compare_shapes(const Case& first, const ScannedBlock& second, Verdict& verdict) {
  const bool second_proved = !second.matched.empty();
  if (first.proved && !second_proved) {
    verdict.second_fault = DisconnectReason::BadProof;
  } else if (!first.proved && second_proved) {
    verdict.first_fault = DisconnectReason::BadProof;
  } else {
    verdict.first_fault = verdict.second_fault = DisconnectReason::ContradictoryProofs;
    verdict.doubtful = true;
  }
}

void CrossCheck::compare_matches(const Case& first, const std::set<chain::Txid>& ours, Verdict& verdict) {
  const std::set<chain::Txid> theirs(first.ours.begin(), first.ours.end());
  if (!std::includes(theirs.begin(), theirs.end(), ours.begin(), ours.end())) {
    verdict.first_fault = DisconnectReason::Omission;
  }
  if (!std::includes(ours.begin(), ours.end(), theirs.begin(), theirs.end())) {
    verdict.second_fault = DisconnectReason::Omission;
  }
}

bool CrossCheck::waits_for(PeerId peer, chain::Height last) const {
  return std::any_of(cases_.begin(), cases_.upper_bound(last),
                     [peer](const auto& item) { return item.second.first != peer; });
}

void CrossCheck::lost(PeerId peer) {
  for (auto& [height, item] : cases_) {
    if (item.asked && item.asked->peer == peer) item.asked.reset();
  }
}

void CrossCheck::restart(chain::Height fork) {
  cases_.erase(cases_.upper_bound(fork), cases_.end());
  for (auto& [height, item] : cases_) item.asked.reset();
}

}  // namespace spv::sync
