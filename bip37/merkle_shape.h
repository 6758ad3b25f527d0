// The shape of a block's merkle tree, shared by building and extraction of proofs.
#pragma once

#include <cstdint>

#include "util/hash.h"

namespace spv::bip37 {

/// Nodes at a level of the tree; the leaves are level 0.
constexpr std::uint32_t width_at(std::uint32_t transactions, std::uint32_t level) {
  return (transactions + (1U << level) - 1) >> level;
}

/// The root's level.
constexpr std::uint32_t tree_height(std::uint32_t transactions) {
  std::uint32_t height = 0;
  while (width_at(transactions, height) > 1) ++height;
  return height;
}

/// The hash of an inner node.
inline util::Hash256 parent_of(const util::Hash256& left, const util::Hash256& right) {
  return util::sha256d_pair(left.view(), right.view());
}

}  // namespace spv::bip37
