#include "chain/side_branches.h"

#include <algorithm>

namespace spv::chain {
namespace {

void prepend(Branch& branch, std::span<const BlockHeader> headers) {
  branch.headers.insert(branch.headers.begin(), headers.begin(), headers.end());
  branch.fork -= static_cast<Height>(headers.size());
}

void drop_front(Branch& branch, std::size_t count) {
  const auto end = branch.headers.begin() + static_cast<std::ptrdiff_t>(count);
  branch.headers.erase(branch.headers.begin(), end);
  branch.fork += static_cast<Height>(count);
}

}  // namespace

Height second_highest(const std::map<SourceId, Height>& shown) {
  Height highest = -1;
  Height second = -1;
  for (const auto& [source, height] : shown) {
    second = std::max(second, std::min(highest, height));
    highest = std::max(highest, height);
  }
  return second;
}

std::optional<SideBranches::Place> SideBranches::find(const BlockHash& hash) const {
  for (std::size_t i = 0; i < branches_.size(); ++i) {
    const Branch& branch = branches_[i];
    for (Height height = branch.tip_height(); height > branch.fork; --height) {
      if (branch.hash_at(height) == hash) return Place{.branch = i, .height = height};
    }
  }
  return std::nullopt;
}

std::optional<SideBranches::Place> SideBranches::find(Height height, const BlockHeader& header) const {
  for (std::size_t i = 0; i < branches_.size(); ++i) {
    const Branch& branch = branches_[i];
    if (branch.has(height) && branch.at(height) == header) return Place{.branch = i, .height = height};
  }
  return std::nullopt;
}

std::size_t SideBranches::add(Branch branch) {
  branches_.push_back(std::move(branch));
  return branches_.size() - 1;
}

std::optional<Branch> SideBranches::cut(std::size_t index, Height height) {
  Branch& branch = branches_[index];
  if (height >= branch.tip_height()) return std::nullopt;
  const auto from = branch.headers.begin() + (height - branch.fork);
  Branch rest = branch;
  rest.fork = rest.touched = height;
  rest.headers.assign(from, branch.headers.end());
  branch.tip_hash = branch.hash_at(height);
  branch.headers.erase(from, branch.headers.end());
  return rest;
}

Branch SideBranches::take(std::size_t index) {
  Branch branch = std::move(branches_[index]);
  branches_.erase(branches_.begin() + static_cast<std::ptrdiff_t>(index));
  return branch;
}

void SideBranches::rebase(Height fork, std::span<const BlockHeader> old_best, std::span<const BlockHeader> new_best) {
  for (Branch& branch : branches_) {
    branch.awaits_agreement = false;
    if (branch.fork < fork) continue;
    prepend(branch, old_best.first(static_cast<std::size_t>(branch.fork - fork)));
    const auto differ = std::mismatch(branch.headers.begin(), branch.headers.end(), new_best.begin(), new_best.end());
    drop_front(branch, static_cast<std::size_t>(differ.first - branch.headers.begin()));
  }
  std::erase_if(branches_, [](const Branch& branch) { return branch.headers.empty(); });
}

void SideBranches::forget(Height height, Height checkpoint) {
  std::erase_if(branches_, [&](const Branch& branch) {
    return branch.fork < checkpoint || height - branch.touched > limits_.forget_after;
  });
}

void SideBranches::forget(SourceId owner) {
  std::erase_if(branches_, [owner](const Branch& branch) { return branch.owner == owner && !branch.awaits_agreement; });
}

std::size_t SideBranches::enforce_limits(SourceId owner, const BlockHash& current_tip, const Lighter& lighter) {
  std::size_t dropped = 0;
  while (over_limits(owner)) {
    auto lightest = branches_.end();
    for (auto it = branches_.begin(); it != branches_.end(); ++it) {
      if (it->owner != owner || it->awaits_agreement || it->tip_hash == current_tip) continue;
      if (lightest == branches_.end() || lighter(*it, *lightest)) lightest = it;
    }
    if (lightest == branches_.end()) break;
    branches_.erase(lightest);
    ++dropped;
  }
  return dropped;
}

bool SideBranches::over_limits(SourceId owner) const {
  std::size_t headers = 0;
  std::size_t branches = 0;
  for (const Branch& branch : branches_) {
    if (branch.owner != owner || branch.awaits_agreement) continue;
    headers += branch.headers.size();
    ++branches;
  }
  return branches > limits_.branches || headers > limits_.headers;
}

}  // namespace spv::chain
