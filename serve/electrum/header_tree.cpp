#include "serve/electrum/header_tree.h"

#include <algorithm>
#include <utility>

#include "util/hash.h"

namespace spv::serve::electrum {
namespace {

void climb(std::vector<util::Hash256>& level) {
  if (level.size() % 2 == 1) level.push_back(level.back());
  for (std::size_t i = 0; i < level.size() / 2; ++i) {
    level[i] = util::sha256d_pair(level[2 * i].view(), level[2 * i + 1].view());
  }
  level.resize(level.size() / 2);
}

/// The same as merkle_branch(), but of a part of a larger tree, with a given number of levels.
MerkleBranch branch_of_part(std::vector<util::Hash256> level, std::size_t place, std::size_t levels) {
  MerkleBranch out;
  for (std::size_t i = 0; i < levels; ++i, place /= 2) {
    out.branch.push_back(level[std::min(place ^ 1U, level.size() - 1)]);
    climb(level);
  }
  out.root = level.front();
  return out;
}

std::size_t levels_of(std::size_t leaves) {
  std::size_t levels = 0;
  for (; (std::size_t{1} << levels) < leaves; ++levels) {
  }
  return levels;
}

}  // namespace

MerkleBranch merkle_branch(std::vector<util::Hash256> leaves, std::size_t place) {
  const std::size_t levels = levels_of(leaves.size());
  return branch_of_part(std::move(leaves), place, levels);
}

std::optional<MerkleBranch> HeaderTree::prove(chain::Height height, chain::Height last, chain::Height settled,
                                              const Read& read) {
  const auto place = static_cast<std::size_t>(height);
  const std::size_t count = static_cast<std::size_t>(last) + 1;
  const auto leaves_in = [&](std::size_t group) { return std::min(kGroup, count - group * kGroup); };
  const std::size_t own = place / kGroup;
  auto leaves = read(static_cast<chain::Height>(own * kGroup), leaves_in(own));
  if (!leaves) return std::nullopt;
  if (count <= kGroup) return merkle_branch(std::move(*leaves), place);
  auto out = branch_of_part(std::move(*leaves), place % kGroup, kGroupLevels);
  std::vector<util::Hash256> roots;
  for (std::size_t group = 0; group * kGroup < count; ++group) {
    const auto root = group == own ? out.root : root_of(group, leaves_in(group), settled, read);
    if (!root) return std::nullopt;
    roots.push_back(*root);
  }
  auto above = merkle_branch(std::move(roots), own);
  out.branch.insert(out.branch.end(), above.branch.begin(), above.branch.end());
  out.root = above.root;
  return out;
}

std::optional<util::Hash256> HeaderTree::root_of(std::size_t group, std::size_t leaves, chain::Height settled,
                                                 const Read& read) {
  if (leaves == kGroup && group < roots_.size()) return roots_[group];
  auto hashes = read(static_cast<chain::Height>(group * kGroup), leaves);
  if (!hashes) return std::nullopt;
  const auto root = branch_of_part(std::move(*hashes), 0, kGroupLevels).root;
  const bool is_settled = static_cast<chain::Height>((group + 1) * kGroup) <= settled;
  if (leaves == kGroup && is_settled && group == roots_.size()) roots_.push_back(root);
  return root;
}

}  // namespace spv::serve::electrum
