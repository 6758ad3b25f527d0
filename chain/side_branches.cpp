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
  Branch rest{.fork = height,
              .headers = std::vector(from, branch.headers.end()),
              .tip_hash = branch.tip_hash,
              .touched = height};
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

bool SideBranches::enforce_limits(const BlockHash& current_tip) {
  bool kept = true;
  while (over_limits()) {
    const auto lowest = std::min_element(branches_.begin(), branches_.end(), [](const Branch& a, const Branch& b) {
      return a.tip_height() < b.tip_height();
    });
    kept = kept && lowest->tip_hash != current_tip;
    branches_.erase(lowest);
  }
  return kept;
}

bool SideBranches::over_limits() const {
  std::size_t headers = 0;
  for (const Branch& branch : branches_) headers += branch.headers.size();
  return branches_.size() > limits_.branches || headers > limits_.headers;
}

}  // namespace spv::chain
